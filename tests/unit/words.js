/*
 * words.js - prints its arguments, in JSON, as words of a shell command. The modules come
 * before it in one script.
 */

console.log(process.argv.slice(2).map((text) => shellWord(JSON.parse(text))).join(' '));
