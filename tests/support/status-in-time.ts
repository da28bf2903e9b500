import { expect } from 'chai';
import type { ReceivedAnswer } from './send-request.js';

/** What fails because a server is away does so within this time. */
export const LONGEST_FAILURE_MS = 2_500;

/** The status of an answer that comes in time; of a failure nothing may leak. */
export async function statusInTime(answer: Promise<ReceivedAnswer>): Promise<number> {
  const begin = performance.now();
  const { status, text } = await answer;
  expect(performance.now() - begin, `milliseconds until the ${status}`).to.be.lessThan(LONGEST_FAILURE_MS);
  if (status !== 200) expect(text).to.equal('{"error":{"message":"Internal server error","status":500}}');
  return status;
}
