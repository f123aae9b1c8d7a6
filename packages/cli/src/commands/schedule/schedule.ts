import type { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createScheduleListCommand } from '../assistant/tasks.ts'

export const createScheduleCommand = (io: Io): Command =>
  createScheduleListCommand(io, 'schedule').addHelpText(
    'after',
    `
A flow with "runsOn": "here" in its schedule is started by the daemon of this machine. Other flows
are "manual here": steward trigger starts them, and their workers start them on schedule.

Examples:
  steward schedule                list everything scheduled, with next and last times
  steward schedule --json         the same for programs
`,
  )
