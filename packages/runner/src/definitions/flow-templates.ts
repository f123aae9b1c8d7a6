import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FlowTemplate, flowTemplate, nearestHint, StewardError } from '@steward/contract'
import { isMissing, readIfPresent } from '@steward/platform'

export interface StoredTemplate extends FlowTemplate {
  name: string
  /** Its own pipeline, as YAML. */
  pipeline: string | undefined
  /** Data for the first run, by file name. */
  samples: Record<string, string>
}

/** The templates that come with Steward, by name. */
export const listTemplates = async (library: string): Promise<StoredTemplate[]> => {
  const names = await readdir(join(library, 'templates'))
  return Promise.all(names.toSorted().map((name) => readTemplate(library, name)))
}

export const findTemplate = async (library: string, name: string): Promise<StoredTemplate> => {
  const names = await readdir(join(library, 'templates'))
  if (names.includes(name)) return readTemplate(library, name)
  const hint = nearestHint(name, names) || ' (see `steward new flow --list-templates`)'
  throw new StewardError('not_found', { what: 'template', name, hint })
}

const readTemplate = async (library: string, name: string): Promise<StoredTemplate> => {
  const folder = join(library, 'templates', name)
  const text = await readFile(join(folder, 'template.json'), 'utf8')
  return {
    ...flowTemplate.parse(JSON.parse(text)),
    name,
    pipeline: await readIfPresent(join(folder, 'pipeline.yaml')),
    samples: await readSamples(join(folder, 'samples')),
  }
}

const readSamples = async (folder: string): Promise<Record<string, string>> => {
  try {
    const names = await readdir(folder)
    const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])
    return Object.fromEntries(await Promise.all(texts))
  } catch (thrown) {
    if (isMissing(thrown)) return {}
    throw thrown
  }
}
