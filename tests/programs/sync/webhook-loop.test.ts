import { expect } from 'chai';
import type { WebhookSession } from '../../../src/composition/worker-parts.js';
import { eventually } from '../../../src/contracts/support/eventually.js';
import { WebhookLoop } from '../../../src/programs/sync/webhook-loop.js';
import { RecordingLog } from '../../support/programs/recording-log.js';

describe('The loop of webhooks, without endpoints,', () => {
  it('forgets former ones once in each term, and then needs no connection', async () => {
    let epoch: number | null = 1;
    let looks = 0;
    let open = 0;
    const begun: number[] = [];
    const session = {
      hasEndpoints: false,
      steps: { begin: async (term: number) => void begun.push(term) },
      close: async () => void open--,
    } as unknown as WebhookSession;
    const openSession = () => {
      open++;
      return session;
    };
    const currentEpoch = () => {
      looks++;
      return epoch;
    };
    const loop = new WebhookLoop(openSession, currentEpoch, new RecordingLog());
    loop.start();
    try {
      await eventually(() => expect(looks).to.be.above(3));
      expect([begun, open]).to.deep.equal([[1], 0]);
      epoch = null;
      const before = looks;
      await eventually(() => expect(looks).to.be.above(before));
      epoch = 2;
      await eventually(() => expect(begun).to.deep.equal([1, 2]));
    } finally {
      await loop.stop();
    }
  });
});
