import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { Home } from '@steward/platform'
import { type Catalog, writeNewFile } from '@steward/runner'
import { COMMAND } from '../../setup/command-name.ts'
import type { NewFiles } from './new-files.ts'

const DEFAULT_ACTIONS = ['A_SUMMARIZE', 'A_FORMAT_MARKDOWN']

/** A pipeline of the given actions; each must load, so that the result can be run. */
export const newPipeline = async (
  home: Home,
  catalog: Catalog,
  name: string,
  actions: readonly string[] = DEFAULT_ACTIONS,
): Promise<NewFiles> => {
  if (actions.length === 0) {
    throw new StewardError('invalid_input', { subject: '--actions', reason: 'names no action' })
  }
  for (const action of actions) await catalog.actions.load(action)
  const path = join(home.user.pipelines, `${name}.yaml`)
  await writeNewFile(path, yamlOf(name, actions))
  return {
    paths: [path],
    next: [
      `${COMMAND} list ${name}`,
      `${COMMAND} run ${name} --local --content @article.md`,
      `edit ${path}`,
    ],
  }
}

const yamlOf = (name: string, actions: readonly string[]): string =>
  [
    `# The output of each action is the input of the next; no field is lost.`,
    `name: ${name}`,
    `description: Runs ${actions.join(', then ')}.`,
    'actions:',
    ...actions.map((action) => `  - ${action}`),
    '',
  ].join('\n')
