import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { shortName } from '@steward/contract'
import { type Home, readIfPresent } from '@steward/platform'
import { addFlow } from './flow-registry.ts'
import type { StoredTemplate } from './flow-templates.ts'
import { writeNewFile } from './write-new-files.ts'

/** The flow's name if the person gives none: `F_MORNING_PAPER` of `morning-paper`. */
export const nameOfTemplate = (template: string): string =>
  `F_${template.replaceAll('-', '_').toUpperCase()}`

/**
 * A flow out of a template, with its pipeline and sample data, which it works on until the person
 * names their own. Files that another flow of the same template brought are kept as they are.
 * Returns the registry and the other written files.
 */
export const writeFlowFrom = async (
  home: Home,
  template: StoredTemplate,
  name: string,
): Promise<{ registry: string; written: string[] }> => {
  const { description, flow } = template
  const written: string[] = []
  const writeOnce = async (path: string, text: string): Promise<void> => {
    if ((await readIfPresent(path)) !== undefined) return
    await writeNewFile(path, text)
    written.push(path)
  }
  const id = `flow-${shortName(name).slice(2)}`
  // A flow may read the work of assistants before there is any.
  await mkdir(home.work, { recursive: true })
  const registry = await addFlow(home, { id, name, description, ...flow }, async () => {
    if (template.pipeline !== undefined) {
      const pipeline = `P_${nameOfTemplate(template.name).slice(2)}.yaml`
      await writeOnce(join(home.user.pipelines, pipeline), template.pipeline)
    }
    for (const [sample, text] of Object.entries(template.samples)) {
      await writeOnce(join(home.user.flows, template.name, sample), text)
    }
  })
  return { registry, written }
}
