import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { BackupModulePorts } from './backup-module.ts'

export interface SpawnBackupOptions {
  /** Node and the launcher of this program. */
  program: readonly [node: string, launcher: string]
  home: string
  environment: Readonly<Record<string, string | undefined>>
}

/** Runs `steward backup` and reports what it said when it failed. */
export const createSpawnBackup =
  ({
    program: [node, launcher],
    home,
    environment,
  }: SpawnBackupOptions): BackupModulePorts['backUp'] =>
  ({ folder, keep, secrets }, signal) =>
    new Promise((resolve, reject) => {
      const target = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder
      const flags = ['--keep', String(keep), ...(secrets ? [] : ['--without-secrets'])]
      const env = { ...environment, STEWARD_HOME: home }
      execFile(
        node,
        [launcher, 'backup', target, ...flags, '--json'],
        { env, signal },
        (failure, _, stderr) => {
          if (failure === null) return resolve()
          const said = /^error: (.*)$/m.exec(stderr)?.[1]
          reject(new Error(said ?? failure.message))
        },
      )
    })
