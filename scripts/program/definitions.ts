import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { actionManifestV2, flowIndex } from '@steward/contract'
import { parsePipelineMarkdown, parsePipelineYaml } from '@steward/engine'

const library = join(import.meta.dirname, '../../library')

/** The source of an expression that recreates a value; undefined if JSON cannot represent it. */
export const sourceOf = (value: unknown): string | undefined => {
  const json = JSON.stringify(value)
  if (json === undefined || !isDeepStrictEqual(JSON.parse(json), value)) return undefined
  return `JSON.parse(${JSON.stringify(json)})`
}

/** The source of `BUNDLED_MANIFESTS`. Invalid ones are omitted and reported where they are used. */
export const manifestsSource = (actions: readonly string[]): string =>
  definitionsSource(
    join(library, 'actions'),
    actions.map((action) => `${action}/action.json`),
    (text) => actionManifestV2.safeParse(JSON.parse(text)).data,
  )

/** The source of `BUNDLED_PIPELINES`. Invalid ones are omitted and reported where they are used. */
export const pipelinesSource = (): string => {
  const folder = join(library, 'pipelines')
  const paths = readdirSync(folder).flatMap((name) => {
    if (/\.ya?ml$/.test(name)) return [name]
    return existsSync(join(folder, name, 'PIPELINE.md')) ? [`${name}/PIPELINE.md`] : []
  })
  return definitionsSource(folder, paths, (text, path) => {
    const [above = ''] = path.split('/')
    const parsed = path.endsWith('.md')
      ? parsePipelineMarkdown(text, path, above)
      : parsePipelineYaml(text, path)
    return parsed.ok ? parsed.value : undefined
  })
}

/** The source of `BUNDLED_FLOWS`. */
export const flowsSource = (): string =>
  definitionsSource(
    join(library, 'flows'),
    ['flow-index.json'],
    (text) => flowIndex.safeParse(JSON.parse(text)).data?.flows,
  )

const definitionsSource = (
  folder: string,
  paths: readonly string[],
  read: (text: string, path: string) => unknown,
): string => {
  const rows = paths.flatMap((path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    const source = sourceOf(read(text, path))
    if (source === undefined) return []
    return [`${JSON.stringify(path)}: { text: ${JSON.stringify(text)}, read: () => ${source} }`]
  })
  return `{${rows.join(',\n')}}`
}
