import type { ObservabilityTarget, WorkState } from '@steward/contract'
import { pushToTargets, type TransportPorts } from './push-to-targets.ts'
import type { TargetOutcome } from './target-outcome.ts'

/** Sends the whole work state to every target at once, secrets taken out. */
export const pushWorkState = (
  state: WorkState,
  targets: readonly ObservabilityTarget[],
  ports: TransportPorts,
): Promise<TargetOutcome[]> =>
  pushToTargets('work state', state, targets, ports, (redacted) => ({
    text: JSON.stringify(redacted),
    leftOut: 0,
  }))
