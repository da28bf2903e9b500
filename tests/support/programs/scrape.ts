/**
 * The value of one sample, such as `requests_total{route="/a",status="200"}`; null if the scrape does not contain it.
 */
export function sampleOf(scrape: string, sample: string): number | null {
  const line = scrape.split('\n').find((each) => each.startsWith(`${sample} `));
  return line === undefined ? null : Number(line.slice(sample.length));
}
