import type { Agent, DriveSpec, openAgent } from '@steward/assistants'
import type { DrivenSession, HostName, Judgement, Settings } from '@steward/contract'
import type { Home, Redactor, StartTimer } from '@steward/platform'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { Asking, Notices, Replying } from '../../ports.ts'
import type { JudgedCall } from './permission-rules.ts'

/** The parts of the assistants package that this module uses, loaded with the first session. */
interface Driving {
  /** A program in the sandbox of a session. */
  confine: (
    program: { command: string; args: readonly string[] },
    place: Pick<DrivenSession, 'folder' | 'project' | 'writable'>,
  ) => Promise<{ command: string; args: readonly string[] }>
  /** Undefined if Steward cannot drive it. */
  specOf: (assistant: HostName) => Promise<DriveSpec | undefined>
  /** Starts or resumes a session in the program of an assistant. */
  open: (
    spec: DriveSpec,
    ports: Omit<Parameters<typeof openAgent>[0], 'spec' | 'program' | 'homedir' | 'env'> & {
      /** Run it in the sandbox of actions. */
      sandbox?: Pick<DrivenSession, 'assistant' | 'folder' | 'project' | 'writable'>
    },
  ) => Promise<Agent>
}

export interface DrivenPorts {
  home: Home
  bus: Bus
  log: Log
  now: () => number
  setTimer: StartTimer
  settings: () => Pick<Settings, 'sessions'>
  redactor: () => Redactor
  notices: Notices
  asking: Pick<Asking, 'claim' | 'ask'>
  replying: Replying
  driving: Driving
  homedir: string
  /** The verdict of the guards on a call; undefined if no rule matches. */
  judge: (
    session: Pick<DrivenSession, 'id' | 'assistant' | 'folder'>,
    call: JudgedCall,
  ) => Judgement | undefined
  /** The environment of git and of check commands. */
  processEnvironment: Readonly<Record<string, string | undefined>>
}
