import { join } from 'node:path'
import type { HostPlace } from '../assistant.ts'

/** The folder of its settings and chats. */
export const geminiFolder = ({ env, homedir }: Pick<HostPlace, 'env' | 'homedir'>): string =>
  join(env.GEMINI_CLI_HOME || homedir, '.gemini')
