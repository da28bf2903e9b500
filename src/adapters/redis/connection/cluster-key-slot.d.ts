declare module 'cluster-key-slot' {
  function keySlot(name: string): number;
  export = keySlot;
}
