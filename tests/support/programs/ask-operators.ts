/** Of the operators' port: what the API's description promises does not hold for it. */
export async function askOperators(
  adminAddress: string,
  path: string,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${adminAddress}${path}`);
  return { status: answer.status, text: await answer.text() };
}
