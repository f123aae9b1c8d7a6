import type { HostedSessionStatus, SandboxDriverName } from '@steward/contract'
import type { TargetFlags } from './target.ts'

/** What the command lines of `steward hosted` give, a shape a command. */
export interface ServeFlags {
  port?: number
  host?: string
  db?: string
  home?: string
  isolation?: SandboxDriverName | false
  apiOnly?: true
  brainOnly?: true
  json?: true
}

export interface KeysPlaceFlags {
  db?: string
  home?: string
  json?: true
}

/** Keys of the scope `session` are made by the server itself, one for each piece of work. */
export const MADE_SCOPES = ['read', 'write', 'admin', 'environment'] as const
export type MadeScope = (typeof MADE_SCOPES)[number]

export interface KeyCreateFlags extends KeysPlaceFlags {
  name: string
  scope: MadeScope
  environment?: string
  expires?: number
}

export interface AgentFlags extends TargetFlags {
  name?: string
  model?: string
  system?: string
  description?: string
  ask?: true
  tools?: boolean
  file?: string
  version?: number
}

export interface EnvironmentFlags extends TargetFlags {
  name?: string
  description?: string
  selfHosted?: true
  allowHost?: string[]
  offline?: true
  packageManagers?: true
  package?: string[]
  file?: string
}

export interface SessionListFlags extends TargetFlags {
  agent?: string
  status?: HostedSessionStatus
  archived?: true
  limit: number
}

export interface SessionFlags extends TargetFlags {
  agent?: string
  environment?: string
  title?: string
  /** Cents; `none` takes a budget away. */
  budget?: string
  vault?: string[]
  message?: string
  file?: string
}

export interface LogFlags extends TargetFlags {
  type?: string[]
  limit: number
}

export interface SendFlags extends TargetFlags {
  allow?: string[]
  deny?: string[]
  message?: string
  result?: string
  error?: true
  interrupt?: true
  wait: boolean
}

export interface StreamFlags extends TargetFlags {
  deltas?: true
  after?: string
  untilIdle?: true
}

export interface FileGetFlags extends TargetFlags {
  out?: string
  force?: true
}

export interface InitFlags extends TargetFlags {
  name: string
  model?: string
  ask?: true
}
