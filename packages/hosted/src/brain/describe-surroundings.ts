import { SESSION_FOLDERS, skillPath } from '@steward/contract'
import type { HandsReport } from '../hands/hands.ts'
import type { SessionBody } from '../log/session-body.ts'

export interface Place extends Pick<HandsReport, 'isolated' | 'network'> {
  nowMs: number
}

/**
 * What a model needs to know about the place where it works. It is the same for all requests of a
 * day, so that the vendor's cache of the conversation stays valid.
 */
export const describeSurroundings = (
  body: SessionBody,
  { nowMs, isolated, network }: Place,
): string => {
  const { agent, budget } = body
  const hasTools = agent.tools.some(({ type }) => type === 'agent_toolset_20260401')
  const lines = [
    `Today is ${new Date(nowMs).toISOString().slice(0, 10)} (UTC). Nobody may be watching: finish the task with what you have, and say at the end what you could not do.`,
    ...(hasTools ? describePlace(body, isolated, network) : []),
    ...describeTeam(body),
    ...(budget === null
      ? []
      : [
          `This session may cost ${formatCents(budget.max_list_cost.amount)}; it stops when that is used up.`,
        ]),
  ]
  return `<surroundings>\n${lines.join('\n')}\n</surroundings>`
}

/** Agents of a session see each other's files, and of each other's conversation only messages. */
const describeTeam = ({ agent, session_id }: SessionBody): string[] => {
  if (session_id !== null)
    return [
      'A coordinator gave you this task, and other agents may work in the same folders. Your last message of a turn is sent to the coordinator: make it your complete answer, with the paths of what you wrote.',
    ]
  if (agent.multiagent === null) return []
  return [
    'You can delegate with send_to_agent. Answers arrive as messages after your turn; end your turn to wait for them. Your agents:',
    ...agent.multiagent.agents.map(
      ({ name, description }) => `- ${name}: ${description ?? 'no description'}`,
    ),
  ]
}

const describePlace = (
  body: SessionBody,
  isolated: boolean,
  network: Place['network'],
): string[] => {
  if (body.environment.type !== 'cloud') return describeSkills(body)
  return isolated
    ? [...describeSandbox(body, network), ...describeSkills(body)]
    : describeMachine(body)
}

/** Without isolation nothing is mounted or installed, and the usual folders do not exist. */
const describeMachine = ({ resources, skills, environment }: SessionBody): string[] => {
  const packages = environment.type === 'cloud' ? Object.values(environment.packages) : []
  const missing = [
    ...resources.map(({ resource }) => resource.mount_path),
    ...skills.map(({ name }) => `the skill ${name}`),
    ...packages.flatMap((names) => (Array.isArray(names) ? names : [])),
  ]
  return [
    'Your tools run without a sandbox, on the machine of the person and with its network: change nothing outside of your own folders. Commands start in your folder, which stays for the whole session. What the person shall get goes to the folder outputs beside it: ../outputs for commands.',
    ...(missing.length === 0
      ? []
      : [
          `This session was also given ${missing.join(', ')}; they are not available without a sandbox.`,
        ]),
  ]
}

const describeSandbox = (
  { environment, resources }: SessionBody,
  network: Place['network'],
): string[] => {
  if (environment.type !== 'cloud') return []
  const packages = Object.entries(environment.packages).flatMap(([manager, names]) =>
    Array.isArray(names) && names.length > 0 ? [`${names.join(', ')} (${manager})`] : [],
  )
  return [
    `Your tools run in a sandbox. ${SESSION_FOLDERS.workspace} is your folder and stays for the whole session. What the person shall get goes to ${SESSION_FOLDERS.outputs}. Programs that you start end when the session rests for long.`,
    ...(resources.length === 0
      ? []
      : ['Given to you:', ...resources.map(({ resource }) => describeResource(resource))]),
    describeNetwork(environment.networking, network === 'tcp'),
    ...(packages.length === 0 ? [] : [`Installed for you: ${packages.join('; ')}.`]),
  ]
}

/** Only names and descriptions: a model that needs a skill reads the rest. */
const describeSkills = ({ skills, environment }: SessionBody): string[] =>
  skills.length === 0
    ? []
    : [
        'Skills are folders with instructions for certain work. Before such work, read the SKILL.md of the skill and follow it:',
        ...skills.map(({ name, description }) => {
          // A worker puts skills into its own working directory.
          const folder = environment.type === 'cloud' ? skillPath(name) : `skills/${name}`
          return `- ${folder}/SKILL.md: ${description}`
        }),
      ]

type Resource = SessionBody['resources'][number]['resource']

const describeResource = (resource: Resource): string => {
  const at = `- ${resource.mount_path}: `
  if (resource.type === 'file') return `${at}a file`
  if (resource.type === 'github_repository') return `${at}the repository ${resource.url}`
  const rule =
    resource.access === 'read_only'
      ? 'read-only'
      : 'small text files; what you write there is kept for later sessions'
  const about = [resource.description, resource.instructions ?? ''].filter((text) => text !== '')
  return `${at}your memory "${resource.name}" (${rule}). ${about.join(' ')}`.trimEnd()
}

type Networking = Extract<SessionBody['environment'], { type: 'cloud' }>['networking']

const HTTP_ONLY =
  'Only HTTP works, through the proxy in HTTPS_PROXY: there is no DNS and no other TCP, so ssh and database clients reach nothing.'
const TCP =
  'DNS and TCP work, UDP does not. A connection that is not allowed is reset, and the reason is shown after the output. HTTPS_PROXY shows reasons of failed HTTP requests.'

const describeNetwork = (networking: Networking, hasTcp: boolean): string => {
  const how = hasTcp ? TCP : HTTP_ONLY
  if (networking.type === 'unrestricted')
    return `Programs reach the internet, except private addresses. ${how}`
  const { allowed_hosts: hosts, allow_package_managers: hasPackages } = networking
  const named = hosts.length === 0 ? [] : [hosts.join(', ')]
  const reached = [...named, ...(hasPackages ? ['package registries'] : [])]
  return reached.length === 0
    ? 'There is no network: do not try to download anything.'
    : `Programs reach only ${reached.join(' and ')}; a host without a port is open at 80 and 443. ${how}`
}

const formatCents = (amount: string): string => `$${(Number(amount) / 100).toFixed(2)}`
