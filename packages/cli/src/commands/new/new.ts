import { PRIMITIVES, type Primitive, parseName } from '@steward/contract'
import type { Steward } from '@steward/runner'
import { Argument, Command } from 'commander'
import type { Io } from '../../io.ts'
import { printJson } from '../../output/print-json.ts'
import { findInstallation } from '../../setup/installation.ts'
import { withSteward } from '../../setup/open-local.ts'
import { newAction } from './new-action.ts'
import type { NewFiles } from './new-files.ts'
import { newFlow } from './new-flow.ts'
import { newPipeline } from './new-pipeline.ts'
import { prepareHome } from './prepare-home.ts'

interface NewFlags {
  actions?: string
  pipeline: string
  json?: true
}

const HELP = `
Examples:
  steward new action A_COUNT_WORDS
  steward new pipeline P_SUMMARIZE_TEXT --actions A_SUMMARIZE,A_FORMAT_MARKDOWN
  steward new flow F_NOTES_DIGEST --pipeline P_ARTICLE_DIGEST

What is made works at once. It is written to USER in the data home; nothing is overwritten.
`

export const createNewCommand = (io: Io): Command =>
  new Command('new')
    .description('Makes an action, a pipeline or a flow of your own, ready to run.')
    .addArgument(new Argument('<kind>', 'what to make').choices(PRIMITIVES))
    .argument('<name>', 'A_…, P_… or F_… in UPPER_SNAKE_CASE; an action starts with a verb')
    .option('--actions <names>', 'for a pipeline: its actions, separated by commas')
    .option('--pipeline <name>', 'for a flow: its pipeline', 'P_ARTICLE_DIGEST')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (kind: Primitive, name: string, flags: NewFlags) => {
      const parsed = parseName(name, kind)
      if (!parsed.ok) throw parsed.error
      await withSteward(io, async (steward) => {
        await prepareHome(steward.home, findInstallation())
        const made = await make(kind, name, flags, steward)
        if (flags.json) printJson(io.out, { name, ...made })
        else io.out.write(renderMade(name, made))
      })
    })

const make = (
  kind: Primitive,
  name: string,
  flags: NewFlags,
  steward: Steward,
): Promise<NewFiles> => {
  const { home, catalog } = steward
  switch (kind) {
    case 'action':
      return newAction(home, name)
    case 'pipeline':
      return newPipeline(
        home,
        catalog,
        name,
        flags.actions?.split(',').map((word) => word.trim()),
      )
    case 'flow':
      return newFlow(home, catalog, name, flags.pipeline)
  }
}

const renderMade = (name: string, { paths, next }: NewFiles): string =>
  [
    `made ${name}:`,
    ...paths.map((path) => `  ${path}`),
    'next:',
    ...next.map((line) => `  ${line}`),
    '',
  ].join('\n')
