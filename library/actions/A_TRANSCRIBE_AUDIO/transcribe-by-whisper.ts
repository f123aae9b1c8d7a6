import { type Shell, StewardError } from '@steward/contract'
import { runCommand } from '../../lib/run-command.ts'
import type { Recording } from './recording.ts'

const TIMEOUT_MS = 1_500_000
/** Formats that whisper.cpp decodes itself. */
const READABLE = ['flac', 'mp3', 'ogg', 'wav']
const INSTALL =
  'install whisper.cpp (brew install whisper-cpp, or build it from its repository), or set TRANSCRIBE_BASE_URL to a transcription server'

/** Runs the installed whisper.cpp on the audio, in the sandbox. */
export const transcribeByWhisper = async (
  shell: Shell,
  modelPath: string,
  { bytes, format, language }: Recording,
): Promise<string> => {
  if (!READABLE.includes(format)) {
    throw new StewardError('rejected_content', {
      subject: 'A_TRANSCRIBE_AUDIO',
      reason: `whisper.cpp reads ${READABLE.join(', ')} and this is ${format}; set TRANSCRIBE_BASE_URL to a server that reads it`,
    })
  }
  const audio = `audio.${format}`
  const { code, stderr, files } = await runCommand(
    shell,
    [
      'whisper-cli',
      '--model',
      modelPath,
      '--language',
      language ?? 'auto',
      '--no-timestamps',
      '--no-prints',
      '--output-txt',
      '--output-file',
      'transcript',
      '--file',
      audio,
    ],
    INSTALL,
    {
      timeoutMs: TIMEOUT_MS,
      files: { [audio]: bytes },
      readPaths: [modelPath],
      collect: ['transcript.txt'],
    },
  )
  const text = files['transcript.txt']
  if (code === 0 && text !== undefined) return text
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 200)
  throw new StewardError('action_failed', {
    action: 'A_TRANSCRIBE_AUDIO',
    reason: `whisper-cli ended with code ${code}${said ? `: ${said}` : ' and wrote no transcript'}`,
  })
}
