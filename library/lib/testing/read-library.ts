import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ActionV2, PipelineDefinition } from '@steward/contract'
import { loadAction, parsePipelineMarkdown, parsePipelineYaml } from '@steward/engine'

/** The folder of the built-in library. */
export const LIBRARY = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** All actions of the library, loaded like in the product. */
export const readActions = async (): Promise<Map<string, ActionV2>> => {
  const actions = new Map<string, ActionV2>()
  for (const name of await readdir(join(LIBRARY, 'actions'))) {
    const folder = join(LIBRARY, 'actions', name)
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'action.json'), 'utf8'))
    actions.set(name, loadAction(manifest, await import(join(folder, 'action.ts')), folder))
  }
  return actions
}

/** Every pipeline of the library, in either form. */
export const readPipelines = async (): Promise<PipelineDefinition[]> => {
  const folder = join(LIBRARY, 'pipelines')
  const entries = await readdir(folder, { withFileTypes: true })
  return Promise.all(
    entries.map(async (entry) => {
      const file = entry.isDirectory() ? join(entry.name, 'PIPELINE.md') : entry.name
      const text = await readFile(join(folder, file), 'utf8')
      const parsed = entry.isDirectory()
        ? parsePipelineMarkdown(text, file, entry.name)
        : parsePipelineYaml(text, file)
      if (!parsed.ok) throw parsed.error
      return parsed.value.definition
    }),
  )
}
