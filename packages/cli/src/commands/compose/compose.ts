import {
  composeAgent,
  composeSeveral,
  readTraitData,
  renderAgentYaml,
  type VoiceIds,
} from '@steward/agents'
import {
  AGENT_TIMINGS,
  type AgentTiming,
  type ComposedAgent,
  type Settings,
  TRAIT_CATEGORIES,
  TRAITS,
} from '@steward/contract'
import { Command, Option } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io, Sink } from '../../io.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { openAgentsHome, warnOf } from '../agents/roster.ts'
import { deleteAgent, listSaved, loadAgent, saveAgent } from './saved-agents.ts'

interface ComposeFlags {
  traits?: string
  task?: string
  timing?: AgentTiming
  output: 'prompt' | 'json' | 'yaml' | 'summary'
  json?: true
  count?: number
  allowConflicts?: boolean
  list?: true
  listSaved?: true
  save?: string
  load?: string
  delete?: string
}

const HELP = `
Examples:
  steward compose --traits security,skeptical,adversarial
  steward compose --traits legal,cautious --task "Read the lease" --output json
  steward compose --task "Compare three databases" --count 3 --output summary
  steward compose --traits data,bold --save numbers      steward compose --load numbers
  steward compose --list

The order of traits does not matter. Missing traits are inferred from the words of the task. creative is
an expertise and a personality: it counts as the one for which you named no other trait, else as both;
write expertise:creative or personality:creative to choose. See docs/agents.md.
`

export const createComposeCommand = (io: Io): Command =>
  new Command('compose')
    .description('Compose an agent from traits: prompt and voice')
    .option('-r, --traits <list>', 'traits, separated by commas')
    .option('-t, --task <text>', 'its task')
    .addOption(
      new Option('--timing <timing>', 'time and effort for the task').choices(AGENT_TIMINGS),
    )
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['prompt', 'json', 'yaml', 'summary'])
        .default('prompt'),
    )
    .option('--json', 'the same as --output json')
    .option('--count <n>', 'number of different agents for one task', parseCount)
    .option('--allow-conflicts', 'compose traits that contradict each other')
    .option('-l, --list', 'show traits, voices and combinations')
    .option('-s, --save <name>', 'save it under this name')
    .option('--list-saved', 'list saved agents')
    .option('--load <name>', 'compose a saved agent')
    .option('--delete <name>', 'delete a saved agent')
    .addHelpText('after', HELP)
    .action(async (flags: ComposeFlags) => {
      const output = flags.json ? 'json' : flags.output
      if (flags.list) {
        if (output === 'json') return printJson(io.out, traitList())
        io.out.write(renderTraitList(io.out.paint))
        return
      }
      if (flags.listSaved) return showSaved(io, output === 'json')
      if (flags.delete !== undefined) return forget(io, flags.delete, output === 'json')
      const made = await compose(io, flags)
      io.out.write(renderComposed(made, output, flags.count !== undefined, io.out))
    })

const compose = async (io: Io, flags: ComposeFlags): Promise<ComposedAgent[]> => {
  const { home, settings } = await openAgentsHome(io)
  const saved = flags.load === undefined ? undefined : await loadAgent(home, flags.load)
  const task = flags.task ?? saved?.task ?? undefined
  const request = {
    traits: [...(saved?.traits ?? []), ...(flags.traits === undefined ? [] : [flags.traits])],
    timing: flags.timing ?? saved?.timing ?? 'standard',
    voiceIds: voiceIdsOf(settings),
    allowConflicts: flags.allowConflicts ?? saved !== undefined,
    ...(task === undefined ? {} : { task }),
  }
  const made =
    flags.count === undefined ? composeAgent(request) : composeSeveral(request, flags.count)
  if (!made.ok) throw made.error
  const agents = Array.isArray(made.value) ? made.value : [made.value]
  warnOf(
    io,
    agents.flatMap(({ notes }) => notes),
  )
  for (const [index, agent] of agents.entries()) {
    if (flags.save === undefined) continue
    const name = agents.length === 1 ? flags.save : `${flags.save}-${index + 1}`
    const path = await saveAgent(home, agent, name, new Date(io.now()))
    // Standard output is reserved for the agent.
    io.err.write(`saved: ${path}\n`)
  }
  return agents
}

const showSaved = async (io: Io, json: boolean): Promise<void> => {
  const { home } = await openAgentsHome(io)
  const { agents, problems } = await listSaved(home)
  if (json) printJson(io.out, { agents, problems })
  else {
    for (const { name, traits } of agents) io.out.write(`${name}  ${traits.join(', ')}\n`)
    if (agents.length === 0) io.out.write('no saved agents yet: steward compose … --save NAME\n')
    warnOf(io, problems)
  }
}

const forget = async (io: Io, name: string, json: boolean): Promise<void> => {
  const { home } = await openAgentsHome(io)
  const path = await deleteAgent(home, name)
  if (json) printJson(io.out, { deleted: name, path })
  else io.out.write(`deleted: ${path}\n`)
}

/** Composed agents in a format: one as itself, several (with --count) as a list. */
const renderComposed = (
  agents: readonly ComposedAgent[],
  format: 'prompt' | 'json' | 'yaml' | 'summary',
  isList: boolean,
  { isTerminal }: Pick<Sink, 'isTerminal'>,
): string => {
  const [first] = agents
  const value = isList || first === undefined ? agents : first
  if (format === 'json') return `${JSON.stringify(value, null, isTerminal ? 2 : undefined)}\n`
  if (format === 'yaml') return renderAgentYaml(value)
  if (format === 'summary') return agents.map(renderSummary).join('\n')
  return agents.map(({ prompt }) => prompt).join('\n---\n\n')
}

const renderSummary = (agent: ComposedAgent): string =>
  [
    agent.name,
    `  traits: ${agent.traits.join(', ')}`,
    ...(agent.inferred.length > 0 ? [`  inferred: ${agent.inferred.join(', ')}`] : []),
    `  voice: ${agent.voice} (${agent.voice_id}), ${agent.voice_reason}`,
    `  launch: ${agent.subagent_type}, tier ${agent.tier}, timing ${agent.timing}`,
    ...(agent.task === null ? [] : [`  task: ${agent.task}`]),
    '',
  ].join('\n')

/** Provider ids by voice name, from `daidentity.voices` of the settings. */
const voiceIdsOf = ({ daidentity }: Settings): VoiceIds =>
  Object.fromEntries(
    Object.entries(daidentity.voices ?? {}).flatMap(([name, entry]) => {
      const id = [entry.voiceId, entry.voice_id, entry.VOICE_ID].find(Boolean)
      return id === undefined ? [] : [[name, id]]
    }),
  )

/** All traits, voices and combinations, for programs. */
const traitList = () => {
  const { traits, voices } = readTraitData()
  return { traits, voices: voices.voices, mappings: voices.mappings }
}

/** All traits, voices and combinations, for people. */
const renderTraitList = (paint: Paint): string => {
  const { traits, voices } = readTraitData()
  const groups = TRAIT_CATEGORIES.map((category) => {
    const rows = TRAITS[category].map((name) => [
      `  ${name}`,
      traits[category][name]?.description ?? '',
    ])
    return `${paint.bold(category)}\n${formatTable(rows)}`
  })
  const spoken = Object.entries(voices.voices).map(([name, { description }]) => [
    `  ${name}`,
    description,
  ])
  const combinations = voices.mappings.map(({ traits: names, voice }) => [
    `  ${names.join(' + ')}`,
    voice,
  ])
  return [
    ...groups,
    `${paint.bold('voices')}\n${formatTable(spoken)}`,
    `${paint.bold('combinations')}\n${formatTable(combinations)}`,
  ].join('\n')
}
