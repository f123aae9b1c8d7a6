import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openRouting, parseObserverPolicy } from '@steward/agents'
import {
  type ActionManifestV2,
  actionManifestV2,
  assistantTask,
  createAgentBody,
  describeIssues,
  feedList,
  fields,
  flowDestination,
  flowEntry,
  flowIndex,
  flowSchedule,
  flowSource,
  isJsonObject,
  issuesOf,
  loopGate,
  notifyAnswer,
  parseJsonc,
  pipelineDefinition,
  type Result,
  settings,
} from '@steward/contract'
import { parseYamlDocument } from '@steward/contract/yaml'
import { parsePipelineMarkdown, parsePipelineYaml, undeclaredFields } from '@steward/engine'
import { parsePolicy } from '@steward/policy'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { COMMANDS, findCommand } from '../packages/cli/src/commands/index.ts'
import { createProgram } from '../packages/cli/src/program.ts'
import { memoryIo } from '../packages/cli/src/testing/memory-io.ts'
import { renderCommandsPage } from './generate/commands-page.ts'
import { stewardCommandsIn } from './testing/shell-commands.ts'

const root = join(import.meta.dirname, '..')
const docs = join(root, 'docs')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, text: readFileSync(join(docs, file), 'utf8') }))
const readme = { file: '../README.md', text: readFileSync(join(root, 'README.md'), 'utf8') }

const blocksOf = (language: string, of = pages) =>
  of.flatMap(({ file, text }) =>
    [
      ...text.matchAll(
        new RegExp(`^ *\`\`\`(?:${language})(?: [^\n\`]*)?\\n(.*?)^ *\`\`\`$`, 'gms'),
      ),
    ].map(([, body]) => ({ file, body: body ?? '' })),
  )

test.each(pages)('$file has no broken links', ({ file, text }) => {
  const prose = text.replaceAll(/^```.*?^```$/gms, '')
  const broken = [...prose.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target ?? '')
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => !existsSync(join(docs, dirname(file), target)))
  expect(broken).toEqual([])
})

const SETTINGS = new Set(Object.keys(settings.shape))
const isSettings = (example: object) => Object.keys(example).every((key) => SETTINGS.has(key))

/** Whether an example has one of the types of a union. */
const isType = (
  { options }: typeof flowSource | typeof flowDestination,
  example: { type?: unknown },
): boolean => options.some(({ shape }) => shape.type.value === example.type)

test('no two pages have the same title, which could not be told apart in a list', () => {
  const titles = pages.map(({ text }) => text.split('\n', 1)[0] ?? '')
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})

/** The schema of an example, detected by the field that only it has. */
const SHAPES: ReadonlyArray<[isOne: (example: object) => boolean, shape: z.ZodType]> = [
  [(example) => 'flows' in example, flowIndex],
  [(example) => 'source' in example && 'destination' in example, flowEntry],
  [(example) => 'sources' in example || 'destinations' in example, flowEntry],
  [(example) => 'requires' in example, actionManifestV2],
  [(example) => 'runsOn' in example, flowSchedule],
  [(example) => 'maxIterations' in example, loopGate],
  [(example) => 'retry' in example, z.strictObject({ retry: flowEntry.shape.retry })],
  [(example) => 'queue_depth' in example, notifyAnswer],
  [(example) => isType(flowSource, example), flowSource],
  [(example) => isType(flowDestination, example), flowDestination],
  [Array.isArray, feedList],
  [isSettings, settings],
]

/** Examples without a schema: outputs of an action on the page, a person's own words. */
const FREE: Readonly<Record<string, z.ZodType>> = {
  '{ "content": "three short words", "word_count": 3 }': fields,
  '{ "content": "three short words", "words": 3 }': fields,
  '{ "content": "education", "word_count": 5 }': fields,
  '{ "url": "http://127.0.0.1:8471/tickets", "open": 3, "oldest": "A leaking tap" }': fields,
  '{ "nginx": "engine x", "SQL": "sequel" }': z.record(z.string(), z.string()),
}

test.each(blocksOf('jsonc?', [readme, ...pages]))(
  'an example in $file is valid',
  ({ body, file }) => {
    const read = parseJsonc(body, file)
    if (!read.ok) throw read.error
    const example = read.value
    if (!isJsonObject(example) && !Array.isArray(example))
      throw new Error('an example is a JSON object')
    const found = SHAPES.find(([isOne]) => isOne(example))
    const shape = FREE[body.trim()] ?? found?.[1]
    if (shape === undefined) throw new Error(`no shape is known for ${body}`)
    expect(mistakesIn(shape, example)).toBe('')
    if (shape === settings)
      expect(unknownKeys(z.toJSONSchema(settings, INPUT), example)).toEqual([])
  },
)

const INPUT = { io: 'input', unrepresentable: 'any' } as const

/** Settings may have keys of later versions, so their schema accepts the typos of an example. */
const unknownKeys = (schema: unknown, example: unknown, path = ''): string[] => {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || !isJsonObject(example)) return []
  const { properties } = schema
  return Object.entries(example).flatMap(([key, value]) =>
    key in properties ? unknownKeys(properties[key], value, `${path}${key}.`) : [`${path}${key}`],
  )
}

const mistakesIn = (shape: z.ZodType, example: unknown): string => {
  const parsed = shape.safeParse(example)
  return parsed.success ? '' : describeIssues(issuesOf(parsed.error))
}

const yamlOf = (body: string): unknown => parseYamlDocument(body).toJS()
const errorIn = (read: Result<unknown>): string => (read.ok ? '' : read.error.message)

/** How an example in YAML is read, by a key that only its kind has; returns its mistakes. */
const YAML_KINDS: ReadonlyArray<[key: RegExp, mistakesOf: (body: string, file: string) => string]> =
  [
    [/^bash:/m, (body, file) => errorIn(parsePolicy(body, file))],
    [/^names:/m, (body, file) => errorIn(openRouting(body, file))],
    [/^intent:/m, (body, file) => errorIn(parseObserverPolicy(body, file))],
    [/^tasks:/m, (body) => mistakesIn(taskFile, yamlOf(body))],
    [/^model:/m, (body) => mistakesIn(createAgentBody, yamlOf(body))],
    [/^actions:/m, (body) => mistakesIn(pipelineDefinition, yamlOf(body))],
  ]
const taskFile = z.strictObject({ tasks: z.array(assistantTask) })

// Those of pipelines.md are pipelines and parts of pipelines, which the tests below read.
const yamlBlocks = blocksOf('ya?ml').filter(({ file }) => file !== 'pipelines.md')
test.each(yamlBlocks)('a YAML example in $file is valid', ({ file, body }) => {
  const kind = YAML_KINDS.find(([key]) => key.test(body))
  if (kind === undefined) throw new Error(`no kind is known for ${body}`)
  expect(kind[1](body, file)).toBe('')
})

const shellBlocks = blocksOf('sh|bash|shell|console|', [readme, ...pages])
const commands = shellBlocks.flatMap(({ file, body }) =>
  stewardCommandsIn(body).map((args) => ({ file, args, line: ['steward', ...args].join(' ') })),
)

test.each(commands)('$file: $line', async ({ args }) => {
  const io = memoryIo({ args })
  const program = await createProgram(io)
  // Thrown after parsing, when the command would start.
  program.hook('preAction', () => {
    throw new Error('understood')
  })
  await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow(/^understood$/)
})

const optionsOf = (command: Command): string[] => [
  ...command.options.flatMap(({ short, long }) => [short ?? '', long ?? '']),
  ...command.commands.flatMap(optionsOf),
]

const mentions = [readme, ...pages].flatMap(({ file, text }) =>
  [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`(?:npx )?steward ([^`\n]+)`/g)].map(
    ([, words = '']) => ({ file, words: words.replace(/ && .*/, '') }),
  ),
)

test.each(mentions)('$file mentions steward $words', async ({ words }) => {
  const [name = '', ...rest] = words.split(/[\s,[\]|\\]+/)
  // As in `steward COMMAND --help` or `steward …`: any command.
  if (!/^[a-z]/.test(name)) return
  const found = findCommand(name)
  expect(Object.keys(COMMANDS)).toContain(found?.name)
  const command = (await found?.entry.load())?.(memoryIo())
  if (command === undefined || name === 'run') return
  const known = [...optionsOf(command), '--help']
  expect(rest.filter((word) => /^--\w/.test(word) && !known.includes(word))).toEqual([])
})

const pipelines = blocksOf('yaml').filter(({ body }) => /^actions:/m.test(body))
test.each(pipelines)('a pipeline in $file is one', ({ file, body }) => {
  const parsed = parsePipelineYaml(body, file)
  expect(parsed.ok ? parsed.value.warnings : parsed.error.message).toEqual([])
  if (parsed.ok) expect(undeclaredFields(parsed.value.definition, manifestOf)).toEqual([])
})

const manifestOf = (action: string): ActionManifestV2 | undefined => {
  const file = join(root, 'library/actions', action, 'action.json')
  return existsSync(file)
    ? actionManifestV2.parse(JSON.parse(readFileSync(file, 'utf8')))
    : undefined
}

const documents = blocksOf('markdown').filter(({ body }) => /^# P_/m.test(body))
test.each(documents)('a PIPELINE.md in $file is one', ({ file, body }) => {
  const parsed = parsePipelineMarkdown(body, file, 'Reading_Rate-Article')
  expect(parsed.ok ? parsed.value.definition.name : parsed.error.message).toBe('P_RATE_ARTICLE')
})

test('the README tells how Steward sees the assistants and keeps running', () => {
  const commands = blocksOf('sh', [readme])
    .map(({ body }) => body)
    .join('')
  expect(commands).toContain('steward hooks install')
  expect(commands).toContain('steward service install')
})

test('the page of commands is current; `npm run generate` writes it', async () => {
  expect(pages.find(({ file }) => file === 'reference/commands.md')?.text).toBe(
    await renderCommandsPage(),
  )
})
