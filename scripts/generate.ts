/**
 * `npm run generate`: writes the files derived from the contract. With `--check`: names each file
 * that differs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { renderClientOperations } from './generate/client-operations.ts'
import { renderDefinitionsPage } from './generate/definitions-page.ts'
import { renderErrorsPage } from './generate/errors-page.ts'
import { renderEventsPage } from './generate/events-page.ts'
import { renderHostedClientPage } from './generate/hosted-client-page.ts'
import { renderHostedRoutesPage } from './generate/hosted-routes-page.ts'
import { renderJsonSchemas } from './generate/json-schemas.ts'
import { renderLimitsPage } from './generate/limits-page.ts'
import { renderOpenApi } from './generate/openapi.ts'
import { renderHostedOpenApi } from './generate/openapi-hosted.ts'
import { renderRouteWeights } from './generate/route-weights.ts'
import { renderRoutesPage } from './generate/routes-page.ts'
import { renderSettingsPage } from './generate/settings-page.ts'

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string' } },
})
const repository = join(import.meta.dirname, '..')
const root = values.root ?? repository
const limitsSource = readFileSync(join(repository, 'packages/contract/src/limits.ts'), 'utf8')

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}

const files = new Map([
  ...renderJsonSchemas(),
  ['docs/reference/definitions.md', renderDefinitionsPage()],
  ['docs/reference/errors.md', renderErrorsPage()],
  ['docs/reference/events.md', renderEventsPage()],
  ['docs/reference/hosted-client.md', await renderHostedClientPage()],
  ['docs/reference/hosted-routes.md', renderHostedRoutesPage()],
  ['docs/reference/limits.md', renderLimitsPage(limitsSource)],
  ['docs/reference/routes.md', renderRoutesPage()],
  ['docs/reference/settings.md', renderSettingsPage()],
  ['openapi.json', renderOpenApi()],
  ['openapi-hosted.json', renderHostedOpenApi()],
  ['packages/agents/src/routing/learning/weights.ts', renderRouteWeights()],
  ['packages/contract/src/client/operations.ts', renderClientOperations()],
])
const stale = [...files].filter(([path, text]) => readIfThere(join(root, path)) !== text)

if (values.check && stale.length > 0) {
  for (const [path] of stale) console.error(`${path} differs from the contract`)
  console.error('run `npm run generate` and commit the result')
  process.exit(1)
}
for (const [path, text] of stale) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(`wrote ${path}`)
}
