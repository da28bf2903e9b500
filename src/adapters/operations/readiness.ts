import type { Examined } from '../../domain/model/finding.js';

export interface ReadinessReport {
  readonly status: 'starting' | 'ready' | 'degraded' | 'not ready' | 'draining';
  readonly findings: readonly Examined[];
  /** Ports that extensions replace, and the extension of each. */
  readonly replaced: Readonly<Record<string, string>>;
}

/** The body of `/readyz`. */
export type ReadinessBody = ReturnType<typeof readinessBody>;

/** Whether requests should be sent here: the state of the program and of its dependencies. */
export class Readiness {
  #state: 'starting' | 'running' | 'draining' = 'starting';
  #underway: Promise<ReadinessReport> | null = null;

  constructor(
    private readonly examine: () => Promise<readonly Examined[]>,
    private readonly replaced: Readonly<Record<string, string>>,
  ) {}

  started(): void {
    this.#state = 'running';
  }

  drain(): void {
    this.#state = 'draining';
  }

  /** Concurrent calls share one report, so that many probes cost no more than one. */
  report(): Promise<ReadinessReport> {
    this.#underway ??= this.#report().finally(() => {
      this.#underway = null;
    });
    return this.#underway;
  }

  async #report(): Promise<ReadinessReport> {
    const findings = this.#state === 'running' ? await this.examine() : [];
    return { status: this.#statusAfter(findings), findings, replaced: this.replaced };
  }

  #statusAfter(findings: readonly Examined[]): ReadinessReport['status'] {
    if (this.#state !== 'running') return this.#state;
    const worst = Math.max(0, ...findings.map(severityOf));
    return (['ready', 'degraded', 'not ready'] as const)[worst] ?? 'not ready';
  }
}

export function readinessBody({ status, findings, replaced }: ReadinessReport) {
  // The worst finding of each name: several processes or programs may have checks of one name.
  const worst = new Map<string, Examined>();
  for (const finding of findings) {
    const former = worst.get(finding.check);
    if (former === undefined || severityOf(finding) > severityOf(former)) worst.set(finding.check, finding);
  }
  const checks = Object.fromEntries([...worst].map(([name, finding]) => [name, resultOf(finding)]));
  return { status, checks, ...(Object.keys(replaced).length > 0 && { replaced }) };
}

function severityOf({ outcome, isNeeded }: Examined): 0 | 1 | 2 {
  if (outcome === 'ok') return 0;
  return outcome === 'failure' && isNeeded ? 2 : 1;
}

function resultOf(finding: Examined) {
  const { outcome, code, message, advice } = finding;
  if (outcome === 'ok') return { status: 'ok' };
  const status = severityOf(finding) === 2 ? 'failed' : 'degraded';
  return { status, code, reason: message, ...(advice !== null && { advice }) };
}
