import { LIMITS, type ObservabilityTarget, type StewardEvent } from '@steward/contract'
import { type PushBody, pushToTargets, type TransportPorts } from './push-to-targets.ts'
import type { TargetOutcome } from './target-outcome.ts'

/**
 * Sends merged events, newest first, to all targets concurrently: at most 200, secrets masked. Used
 * by the daemon and, when it is down, by hooks.
 */
export const pushEventsToTargets = (
  events: readonly StewardEvent[],
  targets: readonly ObservabilityTarget[],
  ports: TransportPorts,
): Promise<TargetOutcome[]> =>
  pushToTargets('events', events.slice(0, LIMITS.mergedEvents), targets, ports, serialiseNewest)

/** As many as fit into one push, newest first, so that one huge row does not block the others. */
const serialiseNewest = (redacted: unknown): PushBody => {
  const rows: unknown[] = Array.isArray(redacted) ? redacted : []
  const texts: string[] = []
  let bytes = 2
  for (const row of rows) {
    const text = JSON.stringify(row)
    bytes += Buffer.byteLength(text) + 1
    if (bytes > LIMITS.daemonPushBytes) break
    texts.push(text)
  }
  return { text: `[${texts.join(',')}]`, leftOut: rows.length - texts.length }
}
