import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  actionManifestV2,
  describeIssues,
  issuesOf,
  parseJson,
  reasonOf,
  StewardError,
} from '@steward/contract'
import type { EdgeAction, EdgeCatalog, Mistake } from '@steward/edge'
import type { Catalog } from '@steward/runner'

const MODULE_NAMES = ['action.ts', 'action.js', 'action.mjs']

/**
 * Everything there is, as the edge builds from it. No action's code is run for it; what cannot be read is
 * named. `userFlows` is the folder of the person's own flows: their list of feeds wins, as it does locally.
 */
export const readEdgeCatalog = (catalog: Catalog, userFlows: string): EdgeCatalog => {
  const unreadable: Mistake[] = []
  const attempt = <Value>(subject: string, read: () => Value): Value[] => {
    try {
      return [read()]
    } catch (thrown) {
      unreadable.push({ subject, reason: reasonOf(thrown) })
      return []
    }
  }
  return {
    actions: [...catalog.actions.entries().values()].flatMap(({ name, path }) =>
      attempt(name, () => readAction(name, path)),
    ),
    pipelines: [...catalog.pipelines.entries().keys()].flatMap((name) =>
      attempt(name, () => catalog.pipelines.load(name).definition),
    ),
    flows: attempt('flow-index.json', () => catalog.flows.all())
      .flat()
      .map(({ flow, folder }) => ({
        entry: flow,
        folder,
        feedLists: [join(userFlows, 'feeds.json'), join(folder, 'feeds.json')],
      })),
    unreadable,
  }
}

const readAction = (name: string, folder: string): EdgeAction => {
  const definition = join(folder, 'action.json')
  const wrong = (file: string, reason: string) =>
    new StewardError('invalid_definition', { file, reason })
  const json = parseJson(readFileSync(definition, 'utf8'), definition)
  if (!json.ok) throw json.error
  const parsed = actionManifestV2.safeParse(json.value)
  if (!parsed.success) throw wrong(definition, describeIssues(issuesOf(parsed.error)))
  const manifest = parsed.data
  if (manifest.name !== name) {
    throw wrong(
      definition,
      `name is ${manifest.name}, but the folder is ${name}; they must be the same`,
    )
  }
  const file = MODULE_NAMES.map((module) => join(folder, module)).find(existsSync)
  if (file === undefined) {
    throw wrong(folder, `there is no implementation: add ${MODULE_NAMES[0]}`)
  }
  return { manifest, folder, file }
}
