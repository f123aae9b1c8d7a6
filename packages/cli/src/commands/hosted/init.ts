import { unwrap } from '@steward/contract'
import type { ProviderChoice } from '@steward/models'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { toolset } from './agents.ts'
import type { Connection } from './connect.ts'
import { type HostedHome, readHostedHome } from './hosted-home.ts'
import { type TargetFlags, withTarget } from './target.ts'
import type { Agent, Environment, HostedClient, Session } from './types.ts'
import { withServer } from './with-server.ts'

interface InitFlags extends TargetFlags {
  name: string
  model?: string
  ask?: true
}

const HELP = `
Examples:
  steward hosted init                          create an agent, an environment and a session
  steward hosted init --name helper --ask      create an agent that asks before each tool call
  steward hosted init --vendor                 the same on the vendor's servers

If an agent or environment with the name exists, it is reused.
`

export const createHostedInitCommand = (io: Io): Command =>
  withTarget(new Command('init'))
    .description('Create a first agent, environment and session')
    .option('--name <name>', 'the name of all three', 'first')
    .option('--model <model>', 'the model (default: from LLM_*)')
    .option('--ask', 'ask before each tool call')
    .addHelpText('after', HELP)
    .action((flags: InitFlags) => initHosted(io, flags))

const SYSTEM = `You are a careful assistant with a sandbox of your own. Work in it with your tools,
check what you did, and say shortly what came of it. Files for the person go to
/mnt/session/outputs.`

/** Creates a first agent, environment and session if missing. */
const initHosted = (io: Io, flags: InitFlags): Promise<void> =>
  withServer(
    io,
    flags,
    async (connection) => {
      const { client } = connection
      const choice = await chooseModel(await readHostedHome(io, flags.home), connection)
      const agent = await ensureAgent(client, flags, await nameModel(client, choice))
      const environment = await ensureEnvironment(client, flags.name)
      const session = await ensureSession(client, flags.name, agent.thing, environment.thing)
      const offline = choice.provider === 'offline' && flags.model === undefined
      if (flags.json) {
        const [agentId, environmentId] = [agent.thing.id, environment.thing.id]
        const ids = { agent: agentId, environment: environmentId, session: session.thing.id }
        printJson(io.out, { ...ids, model: agent.thing.model.id, offline })
        return
      }
      const say = ({ made }: Found<unknown>) => (made ? 'made' : 'was there')
      io.out.write(
        formatTable([
          ['agent', agent.thing.id, say(agent), cleanText(agent.thing.model.id)],
          ['environment', environment.thing.id, say(environment), ''],
          ['session', session.thing.id, say(session), session.thing.status],
        ]),
      )
      if (offline) io.out.write(renderOffline(choice.reason))
      io.out.write(renderNext(session.thing, connection))
    },
    { sessions: true },
  )

interface Found<Thing> {
  thing: Thing
  made: boolean
}

const ensureAgent = async (
  client: HostedClient,
  { name, model, ask }: InitFlags,
  standard: string,
): Promise<Found<Agent>> => {
  for await (const agent of client.beta.agents.list())
    if (agent.name === name) return { thing: agent, made: false }
  const thing = await client.beta.agents.create({
    name,
    model: model ?? standard,
    system: SYSTEM,
    tools: toolset(ask === true),
  })
  return { thing, made: true }
}

const ensureEnvironment = async (
  client: HostedClient,
  name: string,
): Promise<Found<Environment>> => {
  for await (const environment of client.beta.environments.list())
    if (environment.name === name) return { thing: environment, made: false }
  return { thing: await client.beta.environments.create({ name }), made: true }
}

const ensureSession = async (
  client: HostedClient,
  title: string,
  agent: Agent,
  environment: Environment,
): Promise<Found<Session>> => {
  for await (const session of client.beta.sessions.list({ agent_id: agent.id }))
    if (session.title === title && session.status !== 'terminated')
      return { thing: session, made: false }
  const thing = await client.beta.sessions.create({
    agent: agent.id,
    environment_id: environment.id,
    title,
  })
  return { thing, made: true }
}

const renderOffline = (reason: string): string =>
  `\nNo model is set up (${cleanText(reason)}): the offline model answers by quoting you and calls\n` +
  'no tools. Set LLM_API_KEY or start Ollama, start the server again, and make an agent with\n' +
  `\`${COMMAND} hosted init --name second\`.\n`

const renderNext = ({ id }: Session, { suffix }: Connection): string =>
  `\nnext: ${COMMAND} hosted send ${id}${suffix} "Which files are here? Write a haiku about them."\n`

/** A self-hosted server is asked for the models that it serves. */
const nameModel = async (client: HostedClient, choice: ProviderChoice): Promise<string> => {
  const { standard } = choice.models
  if (!choice.modelsGuessed) return standard
  const served = await client.models.list().then(
    ({ data }) => data.map(({ id }) => id),
    (): string[] => [],
  )
  return served.includes(standard) ? standard : (served[0] ?? standard)
}

/** The model for a first agent: from `LLM_*` here, or one of the vendor's on its servers. */
const chooseModel = async (
  { environment }: HostedHome,
  { kind, client }: Pick<Connection, 'kind' | 'client'>,
): Promise<ProviderChoice> => {
  const { chooseProvider, readModelEnvironment } = await import('@steward/models')
  const read = unwrap(readModelEnvironment(environment))
  const wanted =
    kind === 'vendor'
      ? { ...read, provider: 'anthropic' as const, apiKey: client.apiKey ?? undefined }
      : read
  const choice = unwrap(await chooseProvider(wanted, { fetch }))
  return choice
}
