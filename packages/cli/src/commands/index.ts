import { requireClone } from '../setup/require-clone.ts'
import { type CommandTable, findIn } from './command-table.ts'

/** Every command. This file loads none of them: each comes when it is asked for. */
export const COMMANDS: CommandTable = {
  run: {
    summary: 'run an action or a pipeline, here or on its worker',
    load: async () => (await import('./run/run.ts')).createRunCommand,
    aliases: ['action', 'pipeline'],
  },
  list: {
    summary: 'show actions, pipelines and flows, or one of them',
    load: async () => (await import('./list/list.ts')).createListCommand,
    aliases: ['actions', 'pipelines', 'info'],
  },
  flows: {
    summary: 'show flows, estimate what they cost a day',
    load: async () => (await import('./flows/flows.ts')).createFlowsCommand,
  },
  new: {
    summary: 'make an action, a pipeline or a flow of your own',
    load: async () => (await import('./new/new.ts')).createNewCommand,
  },
  runs: {
    summary: 'look at past runs, continue interrupted ones',
    load: async () => (await import('./runs/runs.ts')).createRunsCommand,
  },
  rerun: {
    summary: 'repeat a run from one of its steps',
    load: async () => (await import('./rerun/rerun.ts')).createRerunCommand,
  },
  trigger: {
    summary: 'run a flow once, now',
    load: async () => (await import('./trigger/trigger.ts')).createTriggerCommand,
  },
  deploy: {
    summary: 'upload built workers: actions, then pipelines, then flows',
    load: async () => {
      requireClone('steward deploy')
      return (await import('./deploy/deploy.ts')).createDeployCommand
    },
  },
  secrets: {
    summary: 'set secrets of deployed workers, show missing ones',
    load: async () => {
      requireClone('steward secrets')
      return (await import('./secrets/secrets.ts')).createSecretsCommand
    },
  },
  workers: {
    summary: 'inspect deployed workers: list, status, logs',
    load: async () => {
      requireClone('steward workers')
      return (await import('./workers/workers.ts')).createWorkersCommand
    },
  },
  feed: {
    summary: 'read a feed as the poller sees it',
    load: async () => (await import('./feed/feed.ts')).createFeedCommand,
  },
  feeds: {
    summary: 'your feeds: add, remove, import, and how they are',
    load: async () => (await import('./feeds/feeds.ts')).createFeedsCommand,
  },
  'feed-proxy': {
    summary: 'fetch feeds for pollers elsewhere',
    load: async () => (await import('./feed-proxy/feed-proxy.ts')).createFeedProxyCommand,
  },
  knowledge: {
    summary: 'what you know: search, add, show, rename, check notes',
    load: async () => (await import('./knowledge/knowledge.ts')).createKnowledgeCommand,
  },
  wiki: {
    summary: 'search and read what is documented: docs, your folders, skills, the library',
    load: async () => (await import('./wiki/wiki.ts')).createWikiCommand,
  },
  mcp: {
    summary: 'let any assistant look things up here: an MCP server',
    load: async () => (await import('./mcp/mcp.ts')).createMcpCommand,
  },
  ladder: {
    summary: 'what you found, try and keep: add, promote, list',
    load: async () => (await import('./ladder/ladder.ts')).createLadderCommand,
  },
  security: {
    summary: 'try what the guards say: a command, a path, a prompt',
    load: async () => (await import('./security/security.ts')).createSecurityCommand,
  },
  watchdog: {
    summary: 'say when background agents have fallen silent',
    load: async () => (await import('./watchdog/watchdog.ts')).createWatchdogCommand,
  },
  observe: {
    summary: 'let three observers vote on what an unattended session does',
    load: async () => (await import('./observe/observe.ts')).createObserveCommand,
  },
  route: {
    summary: 'say which agent a request belongs to, and why',
    load: async () => (await import('./route/route.ts')).createRouteCommand,
  },
  compose: {
    summary: 'make a custom agent from traits: its prompt and its voice',
    load: async () => (await import('./compose/compose.ts')).createComposeCommand,
  },
  agents: {
    summary: 'your named agents: list, new, show, edit, export, log',
    load: async () => (await import('./agents/agents.ts')).createAgentsCommand,
  },
  hosted: {
    summary: 'agents that run for hours in a sandbox: serve, init, send, stream, sessions, keys',
    load: async () => (await import('./hosted/hosted.ts')).createHostedCommand,
  },
  assistant: {
    summary: 'who your assistant is, its tasks, its diary, its opinions',
    load: async () => (await import('./assistant/assistant.ts')).createAssistantCommand,
  },
  notify: {
    summary: 'tell you something: push, chat, desktop, email',
    load: async () => (await import('./notify/notify.ts')).createNotifyCommand,
  },
  announce: {
    summary: 'say what is about to be done, without waiting',
    load: async () => (await import('./announce/announce.ts')).createAnnounceCommand,
  },
  voice: {
    summary: 'who speaks, and making it stop: say, test, mute, interrupt',
    load: async () => (await import('./voice/voice.ts')).createVoiceCommand,
  },
  hooks: {
    summary: 'let your assistants tell Steward what they do: install, status, uninstall',
    load: async () => (await import('./hooks/hooks.ts')).createHooksCommand,
  },
  edge: {
    summary: 'build workers and run them on this machine',
    load: async () => {
      requireClone('steward edge')
      return (await import('./edge/edge.ts')).createEdgeCommand
    },
  },
  daemon: {
    summary: 'run the daemon in the foreground',
    load: async () => (await import('./daemon/daemon.ts')).createDaemonCommand,
  },
  service: {
    summary: 'run the daemon in the background: install, start, stop, status, logs',
    load: async () => (await import('./service/service.ts')).createServiceCommand,
  },
  open: {
    summary: 'open the dashboard, signed in',
    load: async () => (await import('./open/open.ts')).createOpenCommand,
  },
  doctor: {
    summary: 'check the installation and say how to repair it',
    load: async () => (await import('./doctor/doctor.ts')).createDoctorCommand,
  },
  completion: {
    summary: 'print a completion script for your shell',
    load: async () => (await import('./completion/completion.ts')).createCompletionCommand,
  },
  __complete: {
    summary: 'what could stand at a place of a command line',
    load: async () => (await import('./complete/complete.ts')).createCompleteCommand(COMMANDS),
    hidden: true,
  },
}

export const findCommand = (word: string) => findIn(COMMANDS, word)
