-- SPDX-License-Identifier: GPL-2.0
-- Small programs for the interpreter, by name: bench/lua/run.  bench.kp has the same.
--
--	lua5.4 bench.lua NAME N

local functions = {}

local function nothing()
end

local function same(x)
	return x
end

function functions.loop(n)
	for i = 1, n do
	end
end

function functions.loop_while(n)
	local i = 0
	while i < n do
		i = i + 1
	end
	return i
end

function functions.arithmetic(n)
	local x = 1
	for i = 1, n do
		x = (x * 33 + i) % 65536
	end
	return x
end

function functions.branches(n)
	local x = 0
	for i = 1, n do
		if i % 3 == 0 then
			x = x + 1
		elseif i % 3 == 1 then
			x = x + 2
		else
			x = x - 3
		end
	end
	return x
end

counter = 0

function functions.globals(n)
	for i = 1, n do
		counter = counter + 1
	end
end

function functions.calls(n)
	for i = 1, n do
		nothing()
	end
end

function functions.results(n)
	local x = 0
	for i = 1, n do
		x = same(i)
	end
	return x
end

function functions.values(n)
	local f = same
	local x = 0
	for i = 1, n do
		x = f(i)
	end
	return x
end

local function fib_of(n)
	if n < 2 then
		return n
	end
	return fib_of(n - 1) + fib_of(n - 2)
end

function functions.fib(n)
	for i = 1, n do
		fib_of(10)
	end
end

local function count_down(n)
	if n == 0 then
		return 0
	end
	return count_down(n - 1)
end

function functions.tail(n)
	return count_down(n)
end

local function first(...)
	local x = ...
	return x
end

function functions.variadic(n)
	local x = 0
	for i = 1, n do
		x = first(i, 2, 3)
	end
	return x
end

function functions.table_write(n)
	local t = {}
	for i = 1, n do
		t[i % 256] = i
	end
end

function functions.table_read(n)
	local t = {}
	local x = 0
	for i = 0, 255 do
		t[i] = i
	end
	for i = 1, n do
		x = t[i % 256]
	end
	return x
end

function functions.table_names(n)
	local t = { left = 1, right = 2 }
	for i = 1, n do
		t.left = t.right
	end
end

function functions.table_pairs(n)
	local t = {}
	local x = 0
	for i = 0, 255 do
		t[i] = i
	end
	for i = 1, n / 256 do
		for k, v in pairs(t) do
			x = x + v
		end
	end
	return x
end

-- the primes below 8000
function functions.sieve(n)
	for i = 1, n do
		local t = {}
		for k = 2, 8000 do
			t[k] = 1
		end
		for k = 2, 89 do
			if t[k] == 1 then
				local m = k * k
				while m <= 8000 do
					t[m] = 0
					m = m + k
				end
			end
		end
	end
end

function functions.join(n)
	local s = ""
	for i = 1, n do
		s = "a" .. i
	end
	return s
end

function functions.grow(n)
	local s = ""
	for i = 1, n do
		s = s .. "x"
		if #s == 100 then
			s = ""
		end
	end
	return s
end

function functions.formats(n)
	local format = string.format
	local s = ""
	for i = 1, n do
		s = format("a %d b", i)
	end
	return s
end

function functions.compare(n)
	local a = "abcdefgh"
	local x = 0
	for i = 1, n do
		if a == "abcdefgi" then
			x = x + 1
		end
	end
	return x
end

function functions.parts(n)
	local sub = string.sub
	local s = "abcdefghijklmnop"
	local x = ""
	for i = 1, n do
		x = sub(s, 4, 11)
	end
	return x
end

functions[arg[1]](tonumber(arg[2]))
