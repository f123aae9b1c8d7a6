import type { Machine } from '../machine.ts'
import type { Model } from './script.ts'
import type { DrivenSubject } from './subjects.ts'

export interface Stage {
  machine: Machine
  model: Model
  subject: DrivenSubject
  /** Another machine whose person has not signed in, with the assistant installed or without it. */
  createBare: (isInstalled: boolean) => Promise<Machine>
}

export interface Scene {
  name: string
  play: (stage: Stage) => Promise<void>
}
