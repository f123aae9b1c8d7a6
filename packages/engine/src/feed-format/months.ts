/**
 * Prefixes of month names, without accents, in the languages seen in feeds. The longest matching
 * prefix wins, so that `marraskuu` is not March.
 */
const BEGINNINGS = [
  'jan janv ene gen ian sty led leden tammi oca sic янв січ ιαν jaan януари',
  'feb febr fev fevr lut uno helmi sub фев февр лют φεβ veebr',
  'mar marz marc mars mrt maart brez bre maalis март мар бер μαρ märts',
  'apr avr abr kwi dub huhti nis апр квіт απρ aprill',
  'may mai mei maj mag maio maggio maig kve touko мая май трав μαι μαϊ mayis',
  'jun juin juny giu iun cze cvn cerven cervn kesa haz июн черв ιουν ιον juuni',
  'jul juil lug iul lip cvc cervenec cervenc heina tem июл лип ιουλ ιολ juuli',
  'aug ago aou aout ag agu avg sie srp elo авг серп αυγ august',
  'sep sept set szept wrz zar syys eyl сен сент вер σεπ settembre',
  'oct okt ott out paz rij loka eki окт жовт οκτ oktoober',
  'nov noi lis list marras kas ноя нояб лист νοε νοεμ',
  'dec dez des dic gru pro joulu ara дек груд δεκ detsember',
]

const MONTHS = new Map<string, number>()
for (const [index, names] of BEGINNINGS.entries()) {
  for (const name of names.split(' ')) MONTHS.set(fold(name), index + 1)
}
const LONGEST = Math.max(...Array.from(MONTHS.keys(), (name) => name.length))

/** 1 to 12 for a month's name or abbreviation in any known language. */
export const monthOf = (name: string): number | undefined => {
  const folded = fold(name)
  for (let length = Math.min(folded.length, LONGEST); length >= 3; length--) {
    const month = MONTHS.get(folded.slice(0, length))
    if (month !== undefined) return month
  }
  return MONTHS.get(folded)
}

function fold(name: string): string {
  const lower = name.toLowerCase()
  if (/^[a-z]+$/.test(lower)) return lower
  return lower.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ł', 'l').replaceAll('ı', 'i')
}
