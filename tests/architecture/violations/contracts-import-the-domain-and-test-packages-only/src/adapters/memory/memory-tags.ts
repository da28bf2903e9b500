export class MemoryTags {}
