import {
  type ActionManifestV2,
  type ActionV2,
  actionManifestV2,
  describeIssues,
  type ExecuteV2,
  isJsonObject,
  issuesOf,
  StewardError,
} from '@steward/contract'

/** Joins a manifest and a module into an action; reports all mistakes of the manifest at once. */
export const loadAction = (manifest: unknown, module: unknown, file: string): ActionV2 =>
  joinAction(parseManifest(manifest, file), module, file)

/** The validated manifest; reports all its mistakes at once. */
const parseManifest = (manifest: unknown, file: string): ActionManifestV2 => {
  const parsed = actionManifestV2.safeParse(manifest)
  if (!parsed.success) {
    throw new StewardError('invalid_definition', {
      file,
      reason: describeIssues(issuesOf(parsed.error)),
    })
  }
  return parsed.data
}

const joinAction = (manifest: ActionManifestV2, module: unknown, file: string): ActionV2 => {
  const execute = executeOf(module)
  if (execute === undefined) {
    throw new StewardError('invalid_definition', {
      file,
      reason: `${manifest.name} has no execute: export a function named execute, or a default export with an execute method`,
    })
  }
  return { manifest, execute }
}

const executeOf = (module: unknown): ExecuteV2 | undefined => {
  if (!isModule(module)) return undefined
  if (isExecute(module.execute)) return module.execute
  const main = module.default
  if (isJsonObject(main) && isExecute(main.execute)) return main.execute.bind(main)
  return undefined
}

// Module namespace objects have no prototype, so `isJsonObject` alone would accept them, but not
// classes as default exports.
const isModule = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isExecute = (value: unknown): value is ExecuteV2 => typeof value === 'function'
