import { join } from 'node:path'
import type { HostPlace } from '../assistant.ts'

/** The folder of its settings and transcripts. */
export const claudeFolder = ({ env, homedir }: Pick<HostPlace, 'env' | 'homedir'>): string =>
  env.CLAUDE_CONFIG_DIR || join(homedir, '.claude')
