import { type CommandTable, findIn } from './command-table.ts'

/** All commands. This file imports none of them: each is loaded when a command line names it. */
export const COMMANDS: CommandTable = {
  run: {
    summary: 'Run an action or pipeline, here or on its worker',
    load: async () => (await import('./run/run.ts')).createRunCommand,
    aliases: ['action', 'pipeline'],
  },
  list: {
    summary: 'List actions, pipelines and flows, or show one',
    load: async () => (await import('./list/list.ts')).createListCommand,
    aliases: ['actions', 'pipelines', 'info'],
  },
  flows: {
    summary: 'List flows or estimate their daily cost',
    load: async () => (await import('./flows/flows.ts')).createFlowsCommand,
  },
  schedule: {
    summary: 'List everything scheduled: flows, tasks, crons',
    load: async () => (await import('./schedule/schedule.ts')).createScheduleCommand,
  },
  webhooks: {
    summary: 'List webhooks; send a signed test call',
    load: async () => (await import('./webhooks/webhooks.ts')).createWebhooksCommand,
  },
  new: {
    summary: 'Create an action, pipeline or flow',
    load: async () => (await import('./new/new.ts')).createNewCommand,
  },
  runs: {
    summary: 'List, show, resume, cancel and prune runs',
    load: async () => (await import('./runs/runs.ts')).createRunsCommand,
  },
  demo: {
    summary: 'Load or remove a demo day of sample data',
    load: async () => (await import('./demo/demo.ts')).createDemoCommand,
  },
  usage: {
    summary: 'Show tokens and cost of your assistants',
    load: async () => (await import('./usage/usage.ts')).createUsageCommand,
  },
  statusline: {
    summary: 'Print cost, window and waiting requests in one line',
    load: async () => (await import('./statusline/statusline.ts')).createStatuslineCommand,
  },
  sessions: {
    summary: 'List sessions of assistants and show their timeline',
    load: async () => (await import('./sessions/sessions.ts')).createSessionsCommand,
  },
  algorithm: {
    summary: 'Switch the reporting of phases on or off',
    load: async () => (await import('./algorithm/algorithm.ts')).createAlgorithmCommand,
  },
  rerun: {
    summary: 'Repeat a run from one of its steps',
    load: async () => (await import('./rerun/rerun.ts')).createRerunCommand,
  },
  trigger: {
    summary: 'Run a flow once, now',
    load: async () => (await import('./trigger/trigger.ts')).createTriggerCommand,
  },
  deploy: {
    summary: 'Upload built workers: actions, then pipelines, then flows',
    load: async () => (await import('./deploy/deploy.ts')).createDeployCommand,
  },
  undeploy: {
    summary: 'Delete deployed workers and their resources',
    load: async () => (await import('./undeploy/undeploy.ts')).createUndeployCommand,
  },
  secrets: {
    summary: 'Set secrets of deployed workers, show missing ones',
    load: async () => (await import('./secrets/secrets.ts')).createSecretsCommand,
  },
  workers: {
    summary: 'Inspect deployed workers: list, status, logs',
    load: async () => (await import('./workers/workers.ts')).createWorkersCommand,
  },
  feed: {
    summary: 'Parse a feed as the poller does',
    load: async () => (await import('./feed/feed.ts')).createFeedCommand,
  },
  feeds: {
    summary: 'Manage your feeds and show their health',
    load: async () => (await import('./feeds/feeds.ts')).createFeedsCommand,
  },
  'feed-proxy': {
    summary: 'Fetch feeds for pollers on other machines',
    load: async () => (await import('./feed-proxy/feed-proxy.ts')).createFeedProxyCommand,
  },
  knowledge: {
    summary: 'Search, add, rename and check notes',
    load: async () => (await import('./knowledge/knowledge.ts')).createKnowledgeCommand,
  },
  wiki: {
    summary: 'Search and read documents, notes and skills',
    load: async () => (await import('./wiki/wiki.ts')).createWikiCommand,
  },
  mcp: {
    summary: 'Serve Steward to assistants over MCP',
    load: async () => (await import('./mcp/mcp.ts')).createMcpCommand,
  },
  ladder: {
    summary: 'Track improvements from finding to adoption',
    load: async () => (await import('./ladder/ladder.ts')).createLadderCommand,
  },
  security: {
    summary: 'Test and change the security policy',
    load: async () => (await import('./security/security.ts')).createSecurityCommand,
  },
  watchdog: {
    summary: 'Report background agents that stopped responding',
    load: async () => (await import('./watchdog/watchdog.ts')).createWatchdogCommand,
  },
  observe: {
    summary: 'Let three observers vote on an unattended session',
    load: async () => (await import('./observe/observe.ts')).createObserveCommand,
  },
  route: {
    summary: 'Show which agent fits a request, and why',
    load: async () => (await import('./route/route.ts')).createRouteCommand,
  },
  compose: {
    summary: 'Compose an agent from traits: prompt and voice',
    load: async () => (await import('./compose/compose.ts')).createComposeCommand,
  },
  agents: {
    summary: 'Manage your named agents',
    load: async () => (await import('./agents/agents.ts')).createAgentsCommand,
  },
  hosted: {
    summary: 'Serve and use agents that run for hours in a sandbox',
    load: async () => (await import('./hosted/hosted.ts')).createHostedCommand,
  },
  assistant: {
    summary: 'Show your assistant, its tasks, diary and opinions',
    load: async () => (await import('./assistant/assistant.ts')).createAssistantCommand,
  },
  answer: {
    summary: 'List open requests and answer them',
    load: async () => (await import('./answer/answer.ts')).createAnswerCommand,
  },
  notify: {
    summary: 'Send a notification: push, chat, desktop, email',
    load: async () => (await import('./notify/notify.ts')).createNotifyCommand,
  },
  announce: {
    summary: 'Announce the next step without waiting',
    load: async () => (await import('./announce/announce.ts')).createAnnounceCommand,
  },
  voice: {
    summary: 'Manage and stop speech',
    load: async () => (await import('./voice/voice.ts')).createVoiceCommand,
  },
  hooks: {
    summary: 'Install, show and remove the hooks of your assistants',
    load: async () => (await import('./hooks/hooks.ts')).createHooksCommand,
  },
  edge: {
    summary: 'Build workers and run them on this machine',
    load: async () => (await import('./edge/edge.ts')).createEdgeCommand,
  },
  daemon: {
    summary: 'Run the daemon in the foreground',
    load: async () => (await import('./daemon/daemon.ts')).createDaemonCommand,
  },
  start: {
    summary: 'Start in the foreground and show the first steps',
    load: async () => (await import('./start/start.ts')).createStartCommand,
  },
  service: {
    summary: 'Run the daemon in the background',
    load: async () => (await import('./service/service.ts')).createServiceCommand,
  },
  open: {
    summary: 'Open the dashboard, signed in',
    load: async () => (await import('./open/open.ts')).createOpenCommand,
  },
  upgrade: {
    summary: 'Install another version of Steward',
    load: async () => (await import('./upgrade/upgrade.ts')).createUpgradeCommand,
  },
  migrate: {
    summary: 'Move from LifeOS or PAI; undo the move',
    load: async () => (await import('./migrate/migrate.ts')).createMigrateCommand,
  },
  backup: {
    summary: 'Back up the data home to one file, also while in use',
    load: async () => (await import('./backup/backup.ts')).createBackupCommand,
  },
  restore: {
    summary: 'Restore the data home from a backup',
    load: async () => (await import('./restore/restore.ts')).createRestoreCommand,
  },
  repair: {
    summary: 'Recover damaged databases and logs',
    load: async () => (await import('./repair/repair.ts')).createRepairCommand,
  },
  doctor: {
    summary: 'Check the installation and suggest repairs',
    load: async () => (await import('./doctor/doctor.ts')).createDoctorCommand,
  },
  completion: {
    summary: 'Print a completion script for your shell',
    load: async () => (await import('./completion/completion.ts')).createCompletionCommand,
  },
  __complete: {
    summary: 'Complete a command line (used by completion scripts)',
    load: async () => (await import('./complete/complete.ts')).createCompleteCommand(COMMANDS),
    hidden: true,
  },
}

export const findCommand = (word: string) => findIn(COMMANDS, word)
