import type { Command } from 'commander'
import type { Io } from '../io.ts'

export interface CommandEntry {
  summary: string
  /** A command's code is loaded when it is asked for: nothing else has to start with it. */
  load: () => Promise<(io: Io) => Command>
  /** Other words for it, kept for people who come from elsewhere. */
  aliases?: readonly string[]
  hidden?: boolean
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    summary: 'run an action or a pipeline, here or on its worker',
    load: async () => (await import('./run.ts')).createRunCommand,
    aliases: ['action', 'pipeline'],
  },
  list: {
    summary: 'show actions, pipelines and flows, or one of them',
    load: async () => (await import('./list.ts')).createListCommand,
    aliases: ['actions', 'pipelines', 'flows', 'info'],
  },
  new: {
    summary: 'make an action, a pipeline or a flow of your own',
    load: async () => (await import('./new.ts')).createNewCommand,
  },
  runs: {
    summary: 'look at past runs, continue interrupted ones',
    load: async () => (await import('./runs.ts')).createRunsCommand,
  },
  rerun: {
    summary: 'repeat a run from one of its steps',
    load: async () => (await import('./rerun.ts')).createRerunCommand,
  },
  trigger: {
    summary: 'run a flow once, now',
    load: async () => (await import('./trigger.ts')).createTriggerCommand,
  },
  feed: {
    summary: 'read a feed as the poller sees it',
    load: async () => (await import('./feed.ts')).createFeedCommand,
  },
  doctor: {
    summary: 'check the installation and say how to repair it',
    load: async () => (await import('./doctor.ts')).createDoctorCommand,
  },
  completion: {
    summary: 'print a completion script for your shell',
    load: async () => (await import('./completion.ts')).createCompletionCommand,
  },
  __complete: {
    summary: 'what could stand at a place of a command line',
    load: async () => (await import('./complete.ts')).createCompleteCommand,
    hidden: true,
  },
}

/** The entry that a word stands for, by name or alias. */
export const findCommand = (word: string): { name: string; entry: CommandEntry } | undefined => {
  for (const [name, entry] of Object.entries(COMMANDS)) {
    if (name === word || entry.aliases?.includes(word)) return { name, entry }
  }
  return undefined
}
