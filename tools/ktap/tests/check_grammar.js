// SPDX-License-Identifier: GPL-2.0
// Check a grammar of tree-sitter without tree-sitter: each rule that is named exists, each
// token is a regular expression, and scripts consist of its tokens. Print its words.
//
//	node check_grammar.js grammar.js SCRIPT...
'use strict';
const fs = require('fs');

const fail = why => { console.error(why); process.exit(1); };
const used = new Set();
const words = [];
const list = (...rules) => rules.forEach(visit);

function visit(rule) {
	if (typeof rule === 'string' || rule instanceof RegExp)
		words.push(rule);
	else if (typeof rule === 'function')
		visit(rule(symbols));
}

const symbols = new Proxy({}, { get: (_, name) => { used.add(name); } });
const prec = (_, rule) => visit(rule);
prec.right = visit;
Object.assign(global, {
	grammar: g => g, seq: list, choice: list, repeat: visit, repeat1: visit, optional: visit,
	token: visit, prec,
});

const { rules, extras } = require(fs.realpathSync(process.argv[2]));
extras(symbols);
Object.values(rules).forEach(visit);
for (const name of used)
	if (!(name in rules))
		fail(`there is no rule ${name}`);
for (const name in rules)
	if (!used.has(name) && name !== 'script')
		fail(`nothing uses the rule ${name}`);

const tokens = words.map(w => w instanceof RegExp ? new RegExp(w.source, 'y') :
	new RegExp(w.replace(/[^a-z_]/g, '\\$&'), 'y'));
for (const file of process.argv.slice(3)) {
	const text = fs.readFileSync(file, 'latin1');
	for (let at = 0; at < text.length;) {
		let longest = 0;

		for (const token of [/\s+/y, ...tokens]) {
			token.lastIndex = at;
			if (token.test(text))
				longest = Math.max(longest, token.lastIndex - at);
		}
		if (!longest)
			fail(`${file}: no token begins at ${JSON.stringify(text.slice(at, at + 20))}`);
		at += longest;
	}
}
words.filter(w => typeof w === 'string').forEach(w => console.log(w));
