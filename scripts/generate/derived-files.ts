import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderClientOperations } from './client-operations.ts'
import { renderDefinitionsPage } from './definitions-page.ts'
import { renderErrorsPage } from './errors-page.ts'
import { renderEventsPage } from './events-page.ts'
import { renderHostedClientPage } from './hosted-client-page.ts'
import { renderHostedRoutesPage } from './hosted-routes-page.ts'
import { renderJsonSchemas } from './json-schemas.ts'
import { renderLimitsPage } from './limits-page.ts'
import { renderOpenApi } from './openapi.ts'
import { renderHostedOpenApi } from './openapi-hosted.ts'
import { renderRouteWeights } from './route-weights.ts'
import { renderRoutesPage } from './routes-page.ts'
import { renderSettingsPage } from './settings-page.ts'

const LIMITS = join(import.meta.dirname, '../../packages/contract/src/limits.ts')

/** Texts by path. */
type DerivedFiles = ReadonlyMap<string, string>

/** All files derived from the contract, which takes seconds. */
export const renderDerivedFiles = async (): Promise<DerivedFiles> =>
  new Map([
    ...renderJsonSchemas(),
    ['docs/reference/definitions.md', renderDefinitionsPage()],
    ['docs/reference/errors.md', renderErrorsPage()],
    ['docs/reference/events.md', renderEventsPage()],
    ['docs/reference/hosted-client.md', await renderHostedClientPage()],
    ['docs/reference/hosted-routes.md', renderHostedRoutesPage()],
    ['docs/reference/limits.md', renderLimitsPage(readFileSync(LIMITS, 'utf8'))],
    ['docs/reference/routes.md', renderRoutesPage()],
    ['docs/reference/settings.md', renderSettingsPage()],
    ['openapi.json', renderOpenApi()],
    ['openapi-hosted.json', renderHostedOpenApi()],
    ['packages/agents/src/routing/learning/weights.ts', renderRouteWeights()],
    ['packages/contract/src/client/operations.ts', renderClientOperations()],
  ])

/** Paths of files below `root` that are missing or differ. */
export const listStale = (files: DerivedFiles, root: string): string[] =>
  [...files].flatMap(([path, text]) => (readIfThere(join(root, path)) === text ? [] : [path]))

/** Writes the files that are missing or differ; returns their paths. */
export const writeStale = (files: DerivedFiles, root: string): string[] => {
  const stale = listStale(files, root)
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), files.get(path) ?? '')
  }
  return stale
}

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
