import { execFile } from 'node:child_process'

export interface SpawnOptions {
  /** The paths of Node and of this program's launcher. */
  program: readonly [node: string, launcher: string]
  home: string
  environment: Readonly<Record<string, string | undefined>>
}

/** Runs a command of Steward in a process of its own; rejects with its error message. */
export type SpawnSteward = (args: readonly string[], signal: AbortSignal) => Promise<void>

export const createSpawnSteward =
  ({ program: [node, launcher], home, environment }: SpawnOptions): SpawnSteward =>
  (args, signal) =>
    new Promise((resolve, reject) => {
      const env = { ...environment, STEWARD_HOME: home }
      execFile(node, [launcher, ...args], { env, signal }, (failure, _, stderr) => {
        if (failure === null) return resolve()
        const said = /^error: (.*)$/m.exec(stderr)?.[1]
        reject(new Error(said ?? failure.message))
      })
    })
