import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { shortName } from '@steward/contract'
import type { Home } from '@steward/platform'
import {
  addFlow,
  type Catalog,
  oneLine,
  type StoredTemplate,
  writeFlowFrom,
  writeNewFile,
} from '@steward/runner'
import { COMMAND } from '../../setup/command-name.ts'
import type { NewFiles } from './new-files.ts'

const SAMPLE = `# A first text

Steward reads every file in this folder once. Put texts here and run the flow again: only what is
new is worked on. This one is here so that the first run has something to show. It is long enough
to be summarised, labelled and rated, which asks for two hundred characters at least.
`

/** A flow from a folder of texts, through a pipeline, into a Markdown file; it runs unchanged. */
export const newFlow = async (
  home: Home,
  catalog: Catalog,
  name: string,
  pipeline: string,
): Promise<NewFiles> => {
  catalog.pipelines.load(pipeline)
  const short = shortName(name).slice(2)
  const inbox = join(home.user.flows, short)
  const file = await addFlow(home, {
    id: `flow-${short}`,
    name,
    source: { type: 'file', path: short, format: 'text' },
    pipeline,
    destination: { type: 'file', path: `${short}.md`, format: 'markdown' },
    schedule: { every: '1h', runsOn: 'here', enabled: true },
  })
  await mkdir(inbox, { recursive: true })
  await writeNewFile(join(inbox, 'first.md'), SAMPLE)
  return {
    paths: [file, join(inbox, 'first.md')],
    next: [`${COMMAND} trigger ${name}`, `cat ${join(home.output, `${short}.md`)}`, `edit ${file}`],
  }
}

/** A flow out of a template, with its pipeline and sample data. */
export const newFlowFrom = async (
  home: Home,
  template: StoredTemplate,
  name: string,
): Promise<NewFiles> => {
  const { registry, written } = await writeFlowFrom(home, template, name)
  return {
    paths: [registry, ...written],
    next: [
      `${COMMAND} trigger ${name}`,
      ...template.edit.map(
        ({ field, example, why }) => `edit ${field} in ${registry} ${why}: ${oneLine(example)}`,
      ),
    ],
  }
}
