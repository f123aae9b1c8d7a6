import { join } from 'node:path'
import type { DriveSpec } from '../acp/drive-spec.ts'

export const geminiDrive: DriveSpec = {
  title: 'Gemini CLI',
  program: { kind: 'command', names: ['gemini'], args: ['--acp'] },
  install: 'npm install --global @google/gemini-cli',
  signIn: 'run `gemini` and sign in, or set GEMINI_API_KEY for the daemon',
  reportsCost: false,
  own: (homedir, { GEMINI_CLI_HOME }) => [join(GEMINI_CLI_HOME || homedir, '.gemini')],
}
