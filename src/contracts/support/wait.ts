/** Resolves after this much time and never before. A timer alone may fire early. */
export async function wait(millis: number): Promise<void> {
  const end = performance.now() + millis;
  for (let left = millis; left > 0; left = end - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)));
  }
}
