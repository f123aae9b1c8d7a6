import { runScript } from './run-script.ts'
import type { ToolContext } from './tool.ts'

/** Limit of a whole file, or of the lines selected from a larger one. */
const FILE_BYTES = 256 * 1024

export type FileOutcome<Value> = { ok: true; value: Value } | { ok: false; reason: string }

const READ = `
f=$1 max=$2 from=$3 to=$4
if [ ! -e "$f" ]; then echo "there is no file $f"; exit 1; fi
if [ -d "$f" ]; then echo "$f is a folder; list it with bash or glob"; exit 1; fi
if [ ! -f "$f" ]; then echo "$f is not a regular file"; exit 1; fi
if [ -n "$from" ]; then exec sed -n -e "$from,$to"p -e "$to"q -- "$f"; fi
size=$(stat -Lc %s -- "$f") || exit 1
if [ "$size" -gt "$max" ]; then
  echo "$f holds $size bytes, more than the $max that can be read at once; choose lines with view_range"
  exit 1
fi
exec cat -- "$f"`

export const readBytes = async (
  context: ToolContext,
  path: string,
  range?: readonly [number, number],
): Promise<FileOutcome<Uint8Array>> => {
  const lines =
    range === undefined ? ['', ''] : [String(range[0]), range[1] <= 0 ? '$' : String(range[1])]
  const args = [path, String(FILE_BYTES), ...lines]
  const outcome = await runScript(context, READ, { args, maxOutputBytes: FILE_BYTES })
  if (outcome.truncated) {
    return {
      ok: false,
      reason: `${path}: this is more than ${FILE_BYTES} bytes; choose fewer lines`,
    }
  }
  if (outcome.timedOut) return { ok: false, reason: `${path} could not be read in time` }
  if (outcome.code !== 0) return { ok: false, reason: outcome.text.trim() }
  return { ok: true, value: outcome.output }
}

const WRITE = `
f=$(readlink -m -- "$1") size=$2
if [ -d "$f" ]; then echo "$f is a folder"; exit 1; fi
d=\${f%/*}
mkdir -p -- "$d/" || exit 1
t=$(mktemp -- "$d/.steward-write.XXXXXXXX") || exit 1
trap 'rm -f -- "$t"' EXIT
cat > "$t" || exit 1
if [ "$(stat -c %s -- "$t")" != "$size" ]; then echo "$f could not be written completely"; exit 1; fi
if [ -e "$f" ]; then chmod --reference="$f" -- "$t"; else chmod "$(printf %o $((0666 & ~0$(umask))))" -- "$t"; fi
mv -fT -- "$t" "$f"`

/** Replaces the file atomically and creates missing folders. */
export const writeBytes = async (
  context: ToolContext,
  path: string,
  bytes: Uint8Array,
): Promise<FileOutcome<undefined>> => {
  const args = [path, String(bytes.length)]
  const outcome = await runScript(context, WRITE, { args, stdin: bytes, maxOutputBytes: 4096 })
  if (outcome.timedOut) return { ok: false, reason: `${path} could not be written in time` }
  if (outcome.code === 0) return { ok: true, value: undefined }
  const said = outcome.text.trim()
  return { ok: false, reason: said === '' ? `${path} could not be written` : said }
}
