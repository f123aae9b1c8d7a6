import { StewardError } from '../errors.ts'
import { fail, ok, type Result } from '../result.ts'
import type {
  CreateEnvironmentBody,
  EnvironmentConfig,
  EnvironmentConfigGiven,
  HostedEnvironment,
  UpdateEnvironmentBody,
} from './environment.ts'
import { applyMetadataPatch, findMetadataFault } from './metadata.ts'
import { resolveNetworking } from './networking.ts'
import { NO_PACKAGES, PACKAGE_MANAGERS, resolvePackages } from './packages.ts'

/** The fields of an environment that a person sets, without those that the server adds. */
export type EnvironmentBlueprint = Pick<
  HostedEnvironment,
  'name' | 'description' | 'config' | 'metadata' | 'scope'
>

type Cloud = Extract<EnvironmentConfig, { type: 'cloud' }>
const OPEN: Cloud = { type: 'cloud', networking: { type: 'unrestricted' }, packages: NO_PACKAGES }

/** A new environment as stored. */
export const makeEnvironmentBlueprint = (
  body: CreateEnvironmentBody,
): Result<EnvironmentBlueprint> =>
  check({
    name: body.name,
    description: body.description ?? null,
    config: resolveConfig(body.config ?? { type: 'cloud' }, OPEN),
    metadata: body.metadata ?? {},
    scope: 'organization',
  })

/** An environment after an update: omitted fields are kept, the kind cannot change. */
export const applyEnvironmentUpdate = (
  before: EnvironmentBlueprint,
  update: UpdateEnvironmentBody,
): Result<EnvironmentBlueprint> => {
  const wasOwn = before.config.type === 'self_hosted'
  if (update.config && (update.config.type === 'self_hosted') !== wasOwn) {
    const reason = `an environment of type ${before.config.type} cannot become ${update.config.type}`
    return refuse('config.type', reason, 'invalid_config_type_change')
  }
  return check({
    name: update.name ?? before.name,
    description: update.description === undefined ? before.description : update.description,
    config:
      update.config && before.config.type === 'cloud'
        ? resolveConfig(update.config, before.config)
        : before.config,
    metadata: applyMetadataPatch(before.metadata, update.metadata, 'deletes'),
    scope: before.scope,
  })
}

const resolveConfig = (given: EnvironmentConfigGiven, before: Cloud): EnvironmentConfig =>
  given.type === 'self_hosted'
    ? { type: 'self_hosted' }
    : {
        type: 'cloud',
        networking: resolveNetworking(given.networking, before.networking),
        packages: resolvePackages(given.packages, before.packages),
      }

const check = (blueprint: EnvironmentBlueprint): Result<EnvironmentBlueprint> => {
  const fault = findMetadataFault(blueprint.metadata)
  if (fault) return refuse('metadata', fault, 'invalid_metadata')
  const { config } = blueprint
  if (config.type === 'cloud' && config.networking.type === 'limited') {
    const { packages, networking } = config
    const asks = PACKAGE_MANAGERS.some((manager) => packages[manager].length > 0)
    if (asks && !networking.allow_package_managers) {
      return refuse('config.packages', 'with limited networking they need allow_package_managers')
    }
  }
  return ok(blueprint)
}

const refuse = (field: string, reason: string, error_code?: string) =>
  fail(
    new StewardError('invalid_input', {
      subject: field,
      field,
      reason,
      ...(error_code ? { error_code } : {}),
    }),
  )
