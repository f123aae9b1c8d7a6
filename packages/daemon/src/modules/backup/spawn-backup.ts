import { homedir } from 'node:os'
import { join } from 'node:path'
import type { SpawnSteward } from '../../spawn-steward.ts'
import type { BackupModulePorts } from './backup-module.ts'

/** Runs `steward backup`. */
export const createSpawnBackup =
  (spawnSteward: SpawnSteward): BackupModulePorts['backUp'] =>
  ({ folder, keep, secrets }, signal) => {
    const target = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder
    const flags = ['--keep', String(keep), ...(secrets ? [] : ['--without-secrets'])]
    return spawnSteward(['backup', target, ...flags, '--json'], signal)
  }
