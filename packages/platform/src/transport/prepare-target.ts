import type { ObservabilityTarget, Result } from '@steward/contract'
import type { Environment } from '../home/environment.ts'
import { prepareEdgeKvTarget } from './prepare-edge-kv-target.ts'
import { prepareHttpTarget } from './prepare-http-target.ts'
import type { PreparedTarget } from './prepared-target.ts'

/** Finds a target's address and credentials; what is missing is named, never its value. */
export const prepareTarget = (
  target: ObservabilityTarget,
  environment: Environment,
): Result<PreparedTarget> =>
  target.type === 'http'
    ? prepareHttpTarget(target, environment)
    : prepareEdgeKvTarget(target, environment)
