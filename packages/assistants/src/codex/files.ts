import { join } from 'node:path'
import type { HostPlace } from '../assistant.ts'

export const CODEX_COMMANDS = ['codex'] as const

/** The folder of its settings. */
export const codexFolder = ({ env, homedir }: Pick<HostPlace, 'env' | 'homedir'>): string =>
  env.CODEX_HOME || join(homedir, '.codex')

/** The hooks of the person, or of a project. */
export const codexFile = (place: HostPlace): string =>
  join(
    place.project === undefined ? codexFolder(place) : join(place.project, '.codex'),
    'hooks.json',
  )

/** The settings, which hold the trust in all hooks, also in those of a project. */
export const codexConfigFile = (place: HostPlace): string => join(codexFolder(place), 'config.toml')
