import type { ObservabilityTarget, Result } from '@steward/contract'
import type { Environment } from '../home/environment.ts'
import { createRedactor, type Redactor } from '../redaction/redactor.ts'
import { prepareEdgeKvTarget } from './prepare-edge-kv-target.ts'
import { prepareHttpTarget } from './prepare-http-target.ts'
import type { PreparedTarget, PushKind } from './prepared-target.ts'
import { type SendPorts, sendToTarget } from './send-to-target.ts'
import type { TargetOutcome } from './target-outcome.ts'

export interface TransportPorts extends SendPorts {
  /** The source of `${NAME}` and tokens. */
  environment: Environment
  /** Knows the secrets of the data home. */
  redactor: Pick<Redactor, 'redact'>
}

/** A body to send, and the number of events that did not fit. */
export interface PushBody {
  text: string
  leftOut: number
}

/** Sends to all targets concurrently; outcomes are in target order. */
export const pushToTargets = async (
  kind: PushKind,
  value: unknown,
  targets: readonly ObservabilityTarget[],
  ports: TransportPorts,
  serialise: (redacted: unknown) => PushBody,
): Promise<TargetOutcome[]> => {
  if (targets.length === 0) return []
  const prepared = targets.map((target) => prepareTarget(target, ports.environment))
  const redacted = ports.redactor.redact(hideCredentials(value, prepared)).value
  const { text, leftOut } = serialise(redacted)
  const count = leftOut === 0 ? {} : { leftOut }
  return Promise.all(
    targets.map(async ({ name, type }, index): Promise<TargetOutcome> => {
      const target = prepared[index]
      if (target?.ok) return { ...(await sendToTarget(target.value, kind, text, ports)), ...count }
      const error = target?.error
      return { target: name, type, ok: false, durationMs: 0, ...(error ? { error } : {}) }
    }),
  )
}

/** One target's credential must not reach another target, whatever its variable's name. */
const hideCredentials = (
  value: unknown,
  prepared: ReadonlyArray<Result<PreparedTarget>>,
): unknown => {
  const secrets = prepared.flatMap((target) =>
    target.ok ? Object.entries(target.value.secrets) : [],
  )
  return createRedactor(Object.fromEntries(secrets)).known.redact(value).value
}

/** Resolves a target's address and credentials; a missing one is named, never its value. */
const prepareTarget = (
  target: ObservabilityTarget,
  environment: Environment,
): Result<PreparedTarget> =>
  target.type === 'http'
    ? prepareHttpTarget(target, environment)
    : prepareEdgeKvTarget(target, environment)
