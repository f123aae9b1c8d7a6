import { StewardError, workerName } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/**
 * Spec 1, Errors: a name in the configuration that differs from the deployed one is later a 404.
 * Directory, configuration, definition and what was deployed from the directory before must agree.
 */
export const checkNames = (
  { short, directory, configuration, facts }: WorkerToDeploy,
  deployedAs: string | undefined,
): StewardError[] => {
  const expected = `exec-${short}`
  const differing = [
    ...(configuration.name === expected ? [] : [`wrangler.jsonc names it ${configuration.name}`]),
    ...(workerName(facts.name) === expected ? [] : [`steward.json says it is ${facts.name}`]),
    ...(deployedAs === undefined || deployedAs === expected
      ? []
      : [`it was deployed as ${deployedAs}`]),
  ]
  if (differing.length === 0) return []
  const reason = `worker name mismatch: the directory is ${short}, so the worker is ${expected}, but ${differing.join(' and ')}; callers would get worker not found (404). Build it again with \`steward edge build\``
  return [new StewardError('invalid_definition', { file: directory, reason })]
}
