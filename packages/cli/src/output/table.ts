/**
 * Rows as aligned columns; the last column keeps its length. A line break in a cell becomes a space, so
 * that a file's name cannot pass for another row.
 */
export const formatTable = (given: readonly (readonly string[])[]): string => {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/[\r\n\t]+/g, ' ')))
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, visibleLength(cell))
    })
  }
  return rows
    .map((row) => row.map((cell, column) => padded(cell, widths, column, row.length)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

const padded = (cell: string, widths: number[], column: number, columns: number): string =>
  column === columns - 1
    ? cell
    : cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - visibleLength(cell)))

// Built from the code point, so that the source contains no control character.
const ESCAPE = String.fromCharCode(0x1b)
const COLOUR = new RegExp(`${ESCAPE}\\[\\d+m`, 'g')

const visibleLength = (text: string): number => [...text.replace(COLOUR, '')].length
