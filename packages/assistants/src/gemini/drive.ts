import { join } from 'node:path'
import type { DriveSpec } from '../acp/drive-spec.ts'
import { keepChat } from './keep-chat.ts'

export const geminiDrive: DriveSpec = {
  title: 'Gemini CLI',
  program: { kind: 'command', names: ['gemini'], args: ['--acp'] },
  install: 'npm install --global @google/gemini-cli',
  signIn: 'run `gemini` and sign in, or set GEMINI_API_KEY for the daemon',
  modes: ['default', 'autoEdit', 'yolo', 'plan'],
  reportsPlan: false,
  reportsCost: false,
  beforeResume: keepChat,
  // 0.61 removes the turn from its record, and a chat without any other turn cannot be resumed.
  cancelLosesTurn: true,
  replaysLate: true,
  own: (homedir, { GEMINI_CLI_HOME }) => [join(GEMINI_CLI_HOME || homedir, '.gemini')],
}
