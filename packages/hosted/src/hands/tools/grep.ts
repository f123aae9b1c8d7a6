import type { z } from 'zod'
import type { ToolOutcome } from '../hands.ts'
import type { grepInput } from './inputs.ts'
import { locate } from './locate.ts'
import { runScript } from './run-script.ts'
import { refuse, succeed, type ToolContext } from './tool.ts'

const OUTPUT_BYTES = 100 * 1024
const LINE_CHARACTERS = 2000

const GREP = `
if [ ! -e "$2" ]; then echo "there is no $2"; exit 2; fi
if command -v rg >/dev/null; then
  exec rg --no-heading --with-filename --line-number --color=never --hidden --no-ignore --sort=path \\
    --max-columns=${LINE_CHARACTERS} --max-depth=40 -g '!.git' -g '!node_modules' -e "$1" -- "$2"
fi
kind=-P
if ! echo a | grep -qP a 2>/dev/null; then kind=-E; fi
grep -rnIHs $kind --exclude-dir=.git --exclude-dir=node_modules -e "$1" -- "$2" |
  awk 'length($0) <= ${LINE_CHARACTERS}'
exit \${PIPESTATUS[0]}`

/** Lines as \`file:line:text\`. */
export const grep = async (
  context: ToolContext,
  input: z.infer<typeof grepInput>,
): Promise<ToolOutcome> => {
  const path = locate(context.sandbox.paths, input.path ?? '.')
  const args = [input.pattern, path]
  const outcome = await runScript(context, GREP, { args, maxOutputBytes: OUTPUT_BYTES })
  if (outcome.truncated) {
    return succeed(`${outcome.text}\n[there are more; these are the first ${OUTPUT_BYTES} bytes]`)
  }
  if (outcome.timedOut) return refuse(`${input.pattern} took too long; choose a smaller folder`)
  // 1 means no match; 2 with lines means that some files were unreadable.
  if (outcome.code === 1 || (outcome.code === 0 && outcome.text === '')) {
    return succeed(`no matches for ${input.pattern} in ${path}`)
  }
  return outcome.code === 0 ? succeed(outcome.text.trimEnd()) : refuse(outcome.text.trim())
}
