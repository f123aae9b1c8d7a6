import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PRIMITIVES, type Primitive, parseName, StewardError, unwrap } from '@steward/contract'
import { ensureHome, type Home } from '@steward/platform'
import {
  findTemplate,
  type LocalRuntime,
  listTemplates,
  nameOfTemplate,
  writeNewFile,
} from '@steward/runner'
import { Argument, Command, Option } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { printJson } from '../../output/print-json.ts'
import { findInstallation, type Installation } from '../../setup/installation.ts'
import { LANGUAGES, type Language, newAction } from './new-action.ts'
import type { NewFiles } from './new-files.ts'
import { newFlow, newFlowFrom } from './new-flow.ts'
import { newPipeline } from './new-pipeline.ts'

interface NewFlags {
  language: Language
  actions?: string
  pipeline: string
  template?: string
  listTemplates?: true
  json?: true
}

const HELP = `
Examples:
  steward new action A_COUNT_WORDS
  steward new action A_PLOT_NUMBERS --language python
  steward new pipeline P_SUMMARIZE_TEXT --actions A_SUMMARIZE,A_FORMAT_MARKDOWN
  steward new flow F_NOTES_DIGEST --pipeline P_ARTICLE_DIGEST
  steward new flow --template morning-paper
  steward new flow --list-templates

The files work as they are. They are written to USER in the data home; nothing is overwritten.
`

export const createNewCommand = (io: Io): Command =>
  new Command('new')
    .description('Create an action, pipeline or flow that is ready to run')
    .addArgument(new Argument('<kind>', 'what to create').choices(PRIMITIVES))
    .argument(
      '[name]',
      'A_…, P_… or F_… in UPPER_SNAKE_CASE; an action starts with a verb; by default after the template',
    )
    .addOption(
      new Option('--language <name>', 'for an action: its language')
        .choices(LANGUAGES)
        .default('typescript'),
    )
    .option('--actions <names>', 'for a pipeline: its actions, separated by commas')
    .option('--pipeline <name>', 'for a flow: its pipeline', 'P_ARTICLE_DIGEST')
    .option('--template <name>', 'for a flow: start from a template')
    .option('--list-templates', 'for a flow: print the templates')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (kind: Primitive, given: string | undefined, flags: NewFlags) => {
      if (flags.listTemplates) return printTemplates(io, flags)
      const name = readName(kind, given, flags)
      await withLocalRuntime(io, async (steward) => {
        await prepareHome(steward.home, findInstallation())
        const overrides = isBuiltIn(kind, name, steward)
        const made = await make(kind, name, flags, steward)
        if (flags.json) printJson(io.out, { name, overrides, ...made })
        else io.out.write(renderMade(name, made))
        if (overrides) {
          const note = `${name} now overrides the built-in ${kind} of the same name; delete it to get that back`
          io.err.write(`${io.err.paint.yellow('warning')}: ${note}\n`)
        }
      })
    })

const readName = (kind: Primitive, given: string | undefined, flags: NewFlags): string => {
  const { template } = flags
  const wrong = (reason: string) =>
    new StewardError('invalid_input', { subject: `new ${kind}`, reason })
  if (template !== undefined && kind !== 'flow') throw wrong('only flows have templates')
  const name = given ?? (template === undefined ? undefined : nameOfTemplate(template))
  if (name === undefined) throw wrong('the name is missing')
  return unwrap(parseName(name, kind)).name
}

const printTemplates = async (io: Io, { json }: NewFlags): Promise<void> => {
  const templates = await listTemplates(findInstallation().library)
  if (json) {
    printJson(io.out, {
      templates: templates.map(({ name, description }) => ({ name, description })),
    })
    return
  }
  const width = Math.max(...templates.map(({ name }) => name.length))
  for (const { name, description } of templates) {
    io.out.write(`${name.padEnd(width)}  ${description}\n`)
  }
}

const isBuiltIn = (kind: Primitive, name: string, { catalog }: LocalRuntime): boolean => {
  const found =
    kind === 'flow'
      ? catalog.flows.all().find(({ flow }) => flow.name === name)
      : catalog[kind === 'action' ? 'actions' : 'pipelines'].entries().get(name)
  return found?.origin === 'built-in'
}

const make = async (
  kind: Primitive,
  name: string,
  flags: NewFlags,
  steward: LocalRuntime,
): Promise<NewFiles> => {
  const { home, catalog } = steward
  switch (kind) {
    case 'action':
      return newAction(home, name, flags.language)
    case 'pipeline':
      return newPipeline(
        home,
        catalog,
        name,
        flags.actions?.split(',').map((word) => word.trim()),
      )
    case 'flow':
      return flags.template === undefined
        ? newFlow(home, catalog, name, flags.pipeline)
        : newFlowFrom(home, await findTemplate(findInstallation().library, flags.template), name)
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

const SCHEMAS = ['action', 'pipeline', 'flow-index', 'settings']
const TYPES = 'action.v2.d.ts'
/** For actions that reject, filter or report progress. */
const IMPORT = 'steward.ts'

/** Adds schemas, types and a module marker beside the person's code, for editors and Node. */
const prepareHome = async (home: Home, from: Installation): Promise<void> => {
  unwrap(await ensureHome(home))
  await mkdir(home.schemas, { recursive: true })
  await mkdir(home.types, { recursive: true })
  for (const schema of SCHEMAS) {
    const file = `${schema}.schema.json`
    await copyFile(join(from.schemas, file), join(home.schemas, file))
  }
  await copyFile(join(from.types, TYPES), join(home.types, TYPES))
  await mkdir(join(home.user.root, 'lib'), { recursive: true })
  await copyFile(join(from.types, IMPORT), join(home.user.root, 'lib', IMPORT))
  await writeIfMissing(join(home.user.root, 'package.json'), { private: true, type: 'module' })
  await writeIfMissing(join(home.user.root, 'tsconfig.json'), {
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023', 'DOM'],
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
    },
    include: ['ACTIONS'],
  })
}

const writeIfMissing = async (path: string, content: unknown): Promise<void> => {
  try {
    await writeNewFile(path, `${JSON.stringify(content, null, 2)}\n`)
  } catch (thrown) {
    // Already exists and belongs to the person, so it is kept.
    if (!(thrown instanceof StewardError)) throw thrown
  }
}
