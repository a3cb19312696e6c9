/** Does something `count` times, `parallel` of them at a time. */
export async function inFlight(
  count: number,
  parallel: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}
