import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { actionManifestV2, flowIndex } from '@steward/contract'
import { parsePipelineYaml } from '@steward/engine'
import type { EdgeCatalog } from '../catalog.ts'
import { hashText } from '../hash-inputs.ts'

/** Everything in a folder with the library's layout: actions, pipelines, flows. */
export const catalogOf = (root: string): EdgeCatalog => {
  const flows = join(root, 'flows')
  const index = readJson(join(flows, 'flow-index.json'))
  return {
    actions: namesIn(join(root, 'actions')).map((name) => {
      const folder = join(root, 'actions', name)
      const manifest = actionManifestV2.parse(readJson(join(folder, 'action.json')))
      const file = join(folder, 'action.ts')
      const hash = existsSync(file) ? hashText(readFileSync(file)) : ''
      return { manifest, folder, file, hash, isOwn: false }
    }),
    pipelines: namesIn(join(root, 'pipelines')).flatMap((name) => {
      if (!name.endsWith('.yaml')) return []
      const parsed = parsePipelineYaml(readFileSync(join(root, 'pipelines', name), 'utf8'), name)
      if (!parsed.ok) throw parsed.error
      return [parsed.value.definition]
    }),
    flows: flowIndex.parse(index ?? { flows: [] }).flows.map((entry) => ({
      entry,
      folder: flows,
      feedLists: [join(flows, 'feeds.json')],
    })),
    unreadable: [],
  }
}

const namesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : [])

const readJson = (file: string): unknown =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
