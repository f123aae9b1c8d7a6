import { hostname } from 'node:os'
import type { ObservabilityTarget, WorkState } from '@steward/contract'
import { pushToTargets, type TransportPorts } from './push-to-targets.ts'
import type { TargetOutcome } from './target-outcome.ts'

/** Sends the whole work state and this machine's name to all targets, secrets masked. */
export const pushWorkState = (
  state: WorkState,
  targets: readonly ObservabilityTarget[],
  ports: TransportPorts,
): Promise<TargetOutcome[]> =>
  pushToTargets('work state', { ...state, machine: hostname() }, targets, ports, (redacted) => ({
    text: JSON.stringify(redacted),
    leftOut: 0,
  }))
