/** Sends a request to the operators' port, to which the API's description does not apply. */
export async function askOperators(
  adminAddress: string,
  path: string,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${adminAddress}${path}`);
  return { status: answer.status, text: await answer.text() };
}
